import type { Encode, Entry, Frame, Page, Position, ReadPage } from './feed.ts';

/** The end of a subscription on the transport's side. */
export interface Sink {
  send(frame: Frame): void;
  /** Bytes that were sent and have not left this process. */
  bufferedBytes(): number;
  /** Calls `run` once, when at most `bytes` are buffered or the sink is closed. */
  whenBelow(bytes: number, run: () => void): void;
  isClosed(): boolean;
  /** Nothing follows; `error` is null if the stream came to its end. */
  end(error: unknown): void;
}

export interface CursorOptions<At extends Position, Value> {
  /** The place after which the subscriber wants to read. */
  readonly after: At;
  readonly sink: Sink;
  readonly encode: Encode<Value>;
  /** Leaves out entries that are not for this subscriber. */
  readonly accepts?: (value: Value) => boolean;
  /** Reads for this cursor alone, where it does not want the whole stream. */
  readonly read?: ReadPage<At, Value>;
}

/** What a cursor knows of its feed. */
export interface CursorFeed<At extends Position, Value> {
  readonly read: ReadPage<At, Value>;
  readonly farewell: (covered: At) => Entry<At, Value> | null;
  /**
   * Whether the live entries go on right after `covered`. Only the store (`isProven`) can say of a
   * place beyond the known ones whether it is news, or never was a place.
   */
  isCaughtUp(covered: At, isProven: boolean): boolean;
  /** @returns the newest entries, from memory; null if `covered` does not lie among them. */
  after(covered: At): Page<At, Value> | null;
  /** Told up to where the stream is known to reach. */
  learn(covered: At): void;
  onClose(): void;
}

/** The place of one subscriber in a stream. Never sends an entry twice, never leaves one out. */
export interface Cursor<At extends Position, Value> {
  start(): void;
  deliver(entries: readonly Entry<At, Value>[]): void;
  /** The live entries up to `covered` were delivered. */
  cover(covered: At): void;
  /** Ends with the farewell of the stream. */
  finish(): void;
  /** Ends at once and in silence. */
  close(): void;
}

/** Above this a cursor stops sending and later reads on from where it was. */
const MAX_BUFFERED_BYTES = 256 * 1024;
const RESUME_BUFFERED_BYTES = 64 * 1024;

export function createCursor<At extends Position, Value>(
  { after, sink, encode, accepts }: CursorOptions<At, Value>,
  feed: CursorFeed<At, Value>,
): Cursor<At, Value> {
  /** `reading`: what is sent comes from the store or the ring; `blocked`: waits until the sink has drained. */
  let state: 'idle' | 'reading' | 'live' | 'blocked' | 'closed' = 'idle';
  let covered = after;
  let isProven = false;

  const close = (): void => {
    if (state === 'closed') return;
    state = 'closed';
    feed.onClose();
  };

  const fail = (error: unknown): void => {
    if (state === 'closed') return;
    close();
    sink.end(error);
  };

  const send = (entry: Entry<At, Value>): void => {
    if (accepts === undefined || accepts(entry.value)) sink.send(frameOf(entry, encode));
    covered = entry.position;
  };

  const block = (): void => {
    state = 'blocked';
    sink.whenBelow(RESUME_BUFFERED_BYTES, () => {
      if (state === 'blocked') start();
    });
  };

  /** @returns false if the sink had to be left alone before the last entry. */
  const sendAll = (entries: readonly Entry<At, Value>[]): boolean => {
    for (const entry of entries) {
      if (entry.position <= covered) continue;
      if (sink.bufferedBytes() > MAX_BUFFERED_BYTES) {
        block();
        return false;
      }
      send(entry);
    }
    return true;
  };

  const finish = (): void => {
    if (state === 'closed') return;
    const last = feed.farewell(covered);
    close();
    if (last) sink.send(frameOf(last, encode));
    sink.end(null);
  };

  /** @returns whether the cursor goes on reading. */
  const readOn = async (): Promise<boolean> => {
    const page = feed.after(covered) ?? (await feed.read(covered));
    if (state !== 'reading') return false;
    isProven = true;
    if (sink.isClosed()) close();
    else if (!page) finish();
    else {
      if (page.restartAfter !== undefined) covered = page.restartAfter;
      if (!sendAll(page.entries)) return false;
      if (page.covered > covered) covered = page.covered;
      if (page.isLast) feed.learn(covered);
      return true;
    }
    return false;
  };

  const read = async (): Promise<void> => {
    try {
      while (!feed.isCaughtUp(covered, isProven)) if (!(await readOn())) return;
      if (state === 'reading') state = 'live';
    } catch (error) {
      fail(error);
    }
  };

  const start = (): void => {
    state = 'reading';
    void read();
  };

  return {
    start,
    deliver(entries) {
      if (state !== 'live') return;
      if (sink.isClosed()) return close();
      const next = entries.find(({ position }) => position > covered);
      if (!next) return;
      try {
        if (next.previous > covered) start();
        else sendAll(entries);
      } catch (error) {
        fail(error);
      }
    },
    cover(through) {
      if (state === 'live' && through > covered) covered = through;
    },
    finish() {
      if (state === 'live') finish();
    },
    close,
  };
}

function frameOf<At extends Position, Value>(
  entry: Entry<At, Value>,
  encode: Encode<Value>,
): Frame {
  const known = entry.frames.get(encode);
  if (known) return known;
  const frame = { position: String(entry.position), payload: encode(entry.value) };
  entry.frames.set(encode, frame);
  return frame;
}

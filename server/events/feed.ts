import { createCursor, type Cursor, type CursorOptions } from './cursor.ts';

/** A place in a stream: a number, or a text whose order is that of the stream. */
export type Position = number | string;

/** Makes the bytes of a subscriber's answer; one function per group of subscribers that receive the same. */
export type Encode<Value> = (value: Value) => string;

/** One event as the transports send it. */
export interface Frame {
  /** The place after the event, for `id:` and `Last-Event-ID`. */
  readonly position: string;
  readonly payload: string;
}

export interface Entry<At extends Position, Value> {
  readonly position: At;
  /** The place up to which a reader must have read to go on with this entry. */
  readonly previous: At;
  readonly value: Value;
  /** Frames that were made of it, by the function that made them. */
  readonly frames: Map<Encode<Value>, Frame>;
}

export interface Page<At extends Position, Value> {
  readonly entries: readonly Entry<At, Value>[];
  /** The place up to which everything is in `entries` or gone for good. */
  readonly covered: At;
  /** Whether there was nothing more to read. */
  readonly isLast: boolean;
  /** Set where the reader's place does not exist (any more): reading starts anew after this one. */
  readonly restartAfter?: At;
}

/** @returns what follows `after`; null if the stream does not exist any more. */
export type ReadPage<At extends Position, Value> = (after: At) => Promise<Page<At, Value> | null>;

/**
 * The live end of one stream: the newest entries in memory, and the cursors that follow them.
 * Entries come from {@link Feed.publish}, or are fetched when {@link Feed.refresh} says that there are some.
 */
export interface Feed<At extends Position, Value> {
  /** Hands over entries that are stored; ones that are known already are left out. */
  publish(entries: readonly Entry<At, Value>[]): void;
  /** Fetches what was stored after the newest known entry. */
  refresh(): void;
  /** Like `refresh`, if `position` is not known yet. */
  want(position: At): void;
  /** The stream is gone: its cursors end. */
  end(): void;
  /** @returns a function that ends the subscription without a word to its sink. */
  subscribe(options: CursorOptions<At, Value>): () => void;
  readonly size: number;
}

export interface FeedOptions<At extends Position, Value> {
  readonly read: ReadPage<At, Value>;
  /** The last entry of a stream that is gone, for a cursor that has covered `covered`; null for none. */
  readonly farewell: (covered: At) => Entry<At, Value> | null;
  /** Called when the last cursor has left. */
  readonly onIdle: () => void;
  /** Told about errors of fetching; the cursors then fetch for themselves. */
  readonly onError: (error: unknown) => void;
}

const RING_ENTRIES = 128;

export function createFeed<At extends Position, Value>(
  options: FeedOptions<At, Value>,
): Feed<At, Value> {
  const cursors = new Set<Cursor<At, Value>>();
  let ring: Entry<At, Value>[] = [];
  /** The newest place that the live cursors have been told; null until something was read. */
  let head: At | null = null;
  let isFetching = false;
  let isStale = false;

  const push = (entries: readonly Entry<At, Value>[]): void => {
    const fresh = entries.filter(({ position }) => head === null || position > head);
    const last = fresh.at(-1);
    if (!last) return;
    ring.push(...fresh);
    if (ring.length > RING_ENTRIES * 2) ring = ring.slice(-RING_ENTRIES);
    head = last.position;
    for (const cursor of cursors) cursor.deliver(fresh);
  };

  const fetchPage = async (after: At): Promise<boolean> => {
    const page = await options.read(after);
    if (!page) {
      feed.end();
      return false;
    }
    push(page.entries);
    if (head !== null && page.covered > head) head = page.covered;
    if (head !== null) for (const cursor of cursors) cursor.cover(head);
    return !page.isLast;
  };

  const fetchAll = async (): Promise<void> => {
    isFetching = true;
    try {
      while (cursors.size > 0 && head !== null && isStale) {
        isStale = false;
        while (cursors.size > 0 && (await fetchPage(head)));
      }
    } catch (error) {
      options.onError(error);
    } finally {
      isFetching = false;
    }
  };

  const feed: Feed<At, Value> = {
    publish(entries) {
      const first = entries[0];
      if (!first) return;
      if (head !== null && first.previous > head) feed.refresh();
      else push(entries);
    },
    refresh() {
      isStale = true;
      if (!isFetching && head !== null) void fetchAll();
    },
    want(position) {
      if (head === null || position > head) feed.refresh();
    },
    end() {
      for (const cursor of cursors) cursor.finish();
    },
    subscribe(cursorOptions) {
      const cursor = createCursor(cursorOptions, {
        read: cursorOptions.read ?? options.read,
        farewell: options.farewell,
        isCaughtUp: (covered, isProven) =>
          head !== null && (covered === head || (isProven && covered > head)),
        after: (covered) => {
          const first = ring[0];
          if (head === null || covered > head || !first || first.previous > covered) return null;
          return { entries: ring, covered: head, isLast: true };
        },
        learn: (covered) => {
          if (head === null) head = covered;
          if (isStale || covered > head) feed.refresh();
        },
        onClose: () => {
          cursors.delete(cursor);
          if (cursors.size === 0) options.onIdle();
        },
      });
      cursors.add(cursor);
      cursor.start();
      return cursor.close;
    },
    get size() {
      return cursors.size;
    },
  };
  return feed;
}

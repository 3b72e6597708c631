import type { Sink } from '../events/cursor.ts';
import type { Frame } from '../events/feed.ts';

/** The connection that frames leave by; several sinks may share it. */
export interface Transport {
  bufferedBytes(): number;
  isClosed(): boolean;
}

/** What is particular to one sink. */
export interface SinkEnds {
  /** Sends a frame; `onSent` is to be called when it has left. */
  send(frame: Frame, onSent: () => void): void;
  end(error: unknown): void;
}

export interface Outlet {
  createSink(ends: SinkEnds): Sink;
  /** To be called when the connection has closed: whoever waits for room is told. */
  release(): void;
}

/**
 * Makes sinks over one connection. Room that the frames of one sink make is room for all of them,
 * so whoever waits is told by whichever frame leaves.
 */
export function createOutlet({ bufferedBytes, isClosed }: Transport): Outlet {
  let waiting: { readonly bytes: number; run(): void }[] = [];

  const tell = (hasRoom: (bytes: number) => boolean): void => {
    const told = waiting.filter(({ bytes }) => hasRoom(bytes));
    waiting = waiting.filter((waiter) => !told.includes(waiter));
    for (const { run } of told) run();
  };
  const release = (): void => tell(() => true);
  // The same function for every frame: a closure for each would cost more than the frame.
  const onSent = (): void => {
    if (waiting.length === 0) return;
    if (isClosed()) return release();
    const buffered = bufferedBytes();
    tell((bytes) => buffered <= bytes);
  };

  return {
    release,
    createSink: ({ send, end }) => ({
      bufferedBytes,
      isClosed,
      end,
      send: (frame) => send(frame, onSent),
      whenBelow(bytes, run) {
        if (isClosed() || bufferedBytes() <= bytes) queueMicrotask(run);
        else waiting.push({ bytes, run });
      },
    }),
  };
}

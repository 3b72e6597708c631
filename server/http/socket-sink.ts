import type { Sink } from '../events/cursor.ts';

/** The connection that frames leave by; several sinks may share it. */
export interface Transport {
  bufferedBytes(): number;
  isClosed(): boolean;
}

export interface Outlet {
  createSink(ends: Pick<Sink, 'send' | 'end'>): Sink;
  /** To be called when everything has left, or the connection has closed: whoever waits is told. */
  drained(): void;
}

/** Below this many bytes a socket does not say that it has drained. */
const LEAST_DRAIN_BYTES = 64 * 1024;

/**
 * Makes sinks over one connection. Room that the frames of one sink leave is room for all of them,
 * so whoever waits is told when the connection as a whole has drained.
 */
export function createOutlet({ bufferedBytes, isClosed }: Transport): Outlet {
  let waiting: (() => void)[] = [];
  return {
    drained() {
      const told = waiting;
      waiting = [];
      for (const run of told) run();
    },
    createSink: ({ send, end }) => ({
      ...{ bufferedBytes, isClosed, send, end },
      whenBelow(bytes, run) {
        if (isClosed() || bufferedBytes() <= Math.max(bytes, LEAST_DRAIN_BYTES)) {
          queueMicrotask(run);
        } else waiting.push(run);
      },
    }),
  };
}

import type { Sink } from '../events/cursor.ts';
import type { Frame } from '../events/feed.ts';

/** What a transport has to offer to be a sink. */
export interface SinkTransport {
  send(frame: Frame, onSent: () => void): void;
  bufferedBytes(): number;
  isClosed(): boolean;
  end(error: unknown): void;
}

export interface TransportSink extends Sink {
  /** To be called when the transport has closed: whoever waits for room is told. */
  release(): void;
}

/** A sink over a transport that tells when something was sent. */
export function createTransportSink(transport: SinkTransport): TransportSink {
  let waiting: { readonly bytes: number; run(): void } | null = null;

  const release = (): void => {
    const { run } = waiting ?? {};
    waiting = null;
    run?.();
  };
  // The same function for every frame: a closure for each would cost more than the frame.
  const onSent = (): void => {
    if (waiting === null) return;
    if (transport.isClosed() || transport.bufferedBytes() <= waiting.bytes) release();
  };

  return {
    release,
    send: (frame) => transport.send(frame, onSent),
    bufferedBytes: () => transport.bufferedBytes(),
    isClosed: () => transport.isClosed(),
    end: (error) => transport.end(error),
    whenBelow(bytes, run) {
      if (transport.isClosed() || transport.bufferedBytes() <= bytes) queueMicrotask(run);
      else waiting = { bytes, run };
    },
  };
}

import type { WebSocket } from 'ws';
import type { Viewer } from '../services/viewer.ts';
import type { SubscriptionRequest } from './prepare-subscription.ts';
import { createOutlet } from './socket-sink.ts';
import type { SubscriptionHub } from './subscription-hub.ts';

export interface OperationsOptions {
  readonly socket: WebSocket;
  readonly hub: SubscriptionHub;
  /** The error as a client may see it. */
  mask(error: unknown): { toJSON(): unknown };
}

/** The subscriptions that are open on one socket, by the ids that its client chose. */
export interface Operations {
  has(id: string): boolean;
  start(viewer: Viewer, id: string, request: SubscriptionRequest): Promise<void>;
  /** Ends one at the wish of the client; an unknown id is fine. */
  complete(id: string): void;
  /** The network has taken what waited. */
  drained(): void;
  /** For a socket that has closed. */
  stopAll(): void;
}

interface Operation {
  stop(): void;
}

export function createOperations({ socket, hub, mask }: OperationsOptions): Operations {
  const operations = new Map<string, Operation>();
  const isClosed = (): boolean => socket.readyState !== socket.OPEN;
  const outlet = createOutlet({ bufferedBytes: () => socket.bufferedAmount, isClosed });

  // The client may have stopped it, and begun another under the same id.
  const end = (id: string, operation: Operation, error: unknown): void => {
    if (operations.get(id) !== operation) return;
    operations.delete(id);
    if (isClosed()) return;
    const message =
      error === null
        ? { id, type: 'complete' }
        : { id, type: 'error', payload: [mask(error).toJSON()] };
    socket.send(JSON.stringify(message));
  };

  return {
    has: (id) => operations.has(id),

    async start(viewer, id, request) {
      const prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
      let isStopped = false;
      const operation: Operation = { stop: () => (isStopped = true) };
      operations.set(id, operation);
      const sink = outlet.createSink({
        send: ({ payload }) => socket.send(`${prefix}${payload}}`),
        end: (error) => end(id, operation, error),
      });
      try {
        const stop = await hub.open({ viewer, request, lastEventId: null, sink });
        if (isStopped) stop();
        else operation.stop = stop;
      } catch (error) {
        end(id, operation, error);
      }
    },

    complete(id) {
      operations.get(id)?.stop();
      operations.delete(id);
    },

    drained: outlet.drained,

    stopAll() {
      for (const { stop } of operations.values()) stop();
      operations.clear();
      outlet.drained();
    },
  };
}

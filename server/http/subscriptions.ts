import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { systemClock, type Clock } from '../clock.ts';
import type { Events } from '../events/events.ts';
import { createErrorMask } from '../graphql/mask-error.ts';
import type { Log } from '../log.ts';
import type { Auth } from '../services/auth.ts';
import type { Services } from '../services/services.ts';
import { credentialEnded, serveSse, type SseConnection } from './graphql-sse.ts';
import { MAX_MESSAGE_BYTES, serveWebSocket, WS_PROTOCOL, type WsConnection } from './graphql-ws.ts';
import { isForeignOrigin, type OriginRules } from './request-facts.ts';
import { createSubscriptionHub } from './subscription-hub.ts';

export interface SubscriptionsDependencies {
  readonly services: Services;
  readonly events: Pick<Events, 'hub' | 'toolEvents' | 'bus'>;
  readonly auth: Auth;
  readonly origins: OriginRules;
  readonly clock: Clock;
  readonly log: Log;
  /** Streams that one person may follow at a time; default 200. */
  readonly maxStreamsOfAPerson?: number;
}

/** Both transports of subscriptions. */
export interface Subscriptions {
  /** Takes the WebSocket upgrades of a server. */
  attach(server: Server): void;
  /** Serves a subscription over SSE. */
  sse(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Streams that are followed. */
  liveCount(): number;
  /** Ends everything that a session or key has open, in all processes. */
  closeCredential(credentialId: string): void;
  /** Sends everybody away, to come back to another process or later. */
  close(): Promise<void>;
}

const FORBIDDEN = 4403;
const GOING_AWAY = 1001;
/** Milliseconds that clients have to answer a close. */
const CLOSE_PATIENCE_MS = 1_000;

export function createSubscriptions(dependencies: SubscriptionsDependencies): Subscriptions {
  const { auth, clock, log, origins, events } = dependencies;
  const parts = {
    hub: createSubscriptionHub(dependencies),
    mask: createErrorMask(log),
    ...{ auth, clock },
  };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(WS_PROTOCOL) ? WS_PROTOCOL : false),
  });
  const connections = new Set<WsConnection>();
  const streams = new Set<SseConnection>();

  function closeHere(credentialId: string): void {
    for (const connection of connections) {
      if (connection.credentialId !== credentialId) continue;
      connection.close(FORBIDDEN, 'The session or key has ended.');
    }
    for (const stream of streams) {
      if (stream.credentialId === credentialId) stream.fail(credentialEnded());
    }
  }

  const stopListening = events.bus.subscribe((message) => {
    if (message.type !== 'credential-end') return;
    auth.forget(message.credentialId);
    closeHere(message.credentialId);
  });

  return {
    attach(server) {
      server.on('upgrade', (request, socket, head) => {
        const refusal = refuseUpgrade(request, origins);
        if (refusal !== null) {
          // The caller may have gone away meanwhile.
          socket.once('error', () => socket.destroy());
          socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
          return;
        }
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          const connection = serveWebSocket(webSocket, request, parts);
          connections.add(connection);
          webSocket.once('close', () => connections.delete(connection));
        });
      });
    },

    sse: (request, response) =>
      serveSse({ request, response }, parts, (stream) => {
        streams.add(stream);
        return () => void streams.delete(stream);
      }),

    liveCount: () => parts.hub.count(),

    closeCredential(credentialId) {
      closeHere(credentialId);
      events.bus.announce([{ type: 'credential-end', credentialId }]);
    },

    async close() {
      stopListening();
      for (const stream of streams) stream.drop();
      for (const connection of connections) connection.close(GOING_AWAY, 'The server stops.');
      const isEmpty = new Promise<void>((resolve) => sockets.close(() => resolve()));
      let cancelPatience = (): void => undefined;
      const patience = new Promise<void>((resolve) => {
        cancelPatience = systemClock.after(CLOSE_PATIENCE_MS, resolve);
      });
      await Promise.race([isEmpty, patience]);
      cancelPatience();
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

/** The status to refuse with; null for an upgrade that may go on. */
function refuseUpgrade(request: IncomingMessage, origins: OriginRules): string | null {
  if (request.url?.split('?')[0] !== '/graphql') return '404 Not Found';
  if (isForeignOrigin(request, origins)) return '403 Forbidden';
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',');
  return offered.some((name) => name.trim() === WS_PROTOCOL) ? null : '400 Bad Request';
}

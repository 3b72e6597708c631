import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Auth } from '../services/auth.ts';
import type { Viewer } from '../services/viewer.ts';
import type { SubscriptionRequest } from './prepare-subscription.ts';
import { createOutlet } from './socket-sink.ts';
import type { SubscriptionHub } from './subscription-hub.ts';

/** The name under which clients ask for this protocol. */
export const WS_PROTOCOL = 'graphql-transport-ws';
/** Bytes of one message of a client. */
export const MAX_MESSAGE_BYTES = 256 * 1_024;

const INIT_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 12_000;
/** Heartbeats between two looks at whether the credential still counts. */
const BEATS_BETWEEN_LOOKS = 5;
const MAX_ID_CHARACTERS = 200;
/** Bytes that wait for a client which goes on sending without reading: it is cut off. */
const MAX_WAITING_BYTES = 4 * 1_024 * 1_024;

/** Codes of the protocol, and ours for a credential that has ended. */
const CLOSE = {
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  initTimeout: 4408,
  idTaken: 4409,
  initTwice: 4429,
} as const;

export interface WsDependencies {
  readonly hub: SubscriptionHub;
  readonly auth: Auth;
  readonly clock: Clock;
  /** The error as a client may see it. */
  mask(error: unknown): { toJSON(): unknown };
}

/** One open socket. */
export interface WsConnection {
  readonly credentialId: string | null;
  close(code: number, reason: string): void;
}

interface Operation {
  stop(): void;
}

/** Speaks the graphql-transport-ws protocol, for subscriptions. */
export function serveWebSocket(
  socket: WebSocket,
  request: IncomingMessage,
  dependencies: WsDependencies,
): WsConnection {
  const { auth, clock, hub, mask } = dependencies;
  const operations = new Map<string, Operation>();
  let state: 'new' | 'authenticating' | 'ready' = 'new';
  let viewer: Viewer | null = null;
  let authorization: string | undefined;
  let isAlive = true;
  let beats = 0;

  const isClosed = (): boolean => socket.readyState !== socket.OPEN;
  const outlet = createOutlet({ bufferedBytes: () => socket.bufferedAmount, isClosed });

  const close = (code: number, reason: string): void => socket.close(code, reason.slice(0, 120));
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const authenticate = (): Promise<Viewer | null> =>
    auth.authenticate({ cookie: request.headers.cookie, authorization });

  async function initialise(payload: unknown): Promise<void> {
    if (state !== 'new') return close(CLOSE.initTwice, 'The connection is initialised already.');
    state = 'authenticating';
    authorization = readAuthorization(payload) ?? request.headers.authorization;
    viewer = await authenticate();
    if (viewer === null) return close(CLOSE.forbidden, 'Sign in, or send an API key.');
    state = 'ready';
    cancelInit();
    send({ type: 'connection_ack' });
  }

  async function start(id: string, payload: SubscriptionRequest): Promise<void> {
    if (viewer === null) return close(CLOSE.unauthorized, 'Send connection_init first.');
    if (operations.has(id)) return close(CLOSE.idTaken, `Subscriber ${id} exists already.`);
    const prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    let isStopped = false;
    const operation: Operation = { stop: () => (isStopped = true) };
    operations.set(id, operation);
    // The client may have stopped it, and begun another under the same id.
    const end = (error: unknown): void => {
      if (operations.get(id) !== operation) return;
      operations.delete(id);
      if (!isClosed()) send(error === null ? { id, type: 'complete' } : errorMessage(id, error));
    };
    const sink = outlet.createSink({
      send: ({ payload: body }) => socket.send(`${prefix}${body}}`),
      end,
    });
    try {
      const stop = await hub.open({ viewer, request: payload, lastEventId: null, sink });
      if (isStopped) stop();
      else operation.stop = stop;
    } catch (error) {
      end(error);
    }
  }

  const errorMessage = (id: string, error: unknown): object => ({
    id,
    type: 'error',
    payload: [mask(error).toJSON()],
  });

  function complete(id: string): void {
    operations.get(id)?.stop();
    operations.delete(id);
  }

  async function receive(text: string): Promise<void> {
    if (socket.bufferedAmount > MAX_WAITING_BYTES) return socket.terminate();
    const message = parseMessage(text);
    switch (message?.type) {
      case 'connection_init':
        return initialise(message.payload);
      case 'ping':
        return send({ type: 'pong' });
      case 'pong':
        return;
      case 'subscribe':
        return start(message.id, message.payload);
      case 'complete':
        return complete(message.id);
      default:
        close(CLOSE.badRequest, 'The message is not one of graphql-transport-ws.');
    }
  }

  /** A client that does not answer is gone; one whose credential has ended has to go. */
  function beat(): void {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (state === 'ready') send({ type: 'ping' });
    else socket.ping();
    beats += 1;
    if (state !== 'ready' || beats % BEATS_BETWEEN_LOOKS !== 0) return;
    authenticate().then(
      (found) => {
        if (found?.role !== viewer?.role) close(CLOSE.forbidden, 'The session or key has ended.');
      },
      // The database is away: nobody has said that the credential has ended.
      () => undefined,
    );
  }

  const cancelInit = clock.after(INIT_TIMEOUT_MS, () => {
    if (state !== 'ready') close(CLOSE.initTimeout, 'No connection_init came in time.');
  });
  const stopHeartbeat = clock.every(HEARTBEAT_MS, beat);
  socket.on('message', (data: Buffer) => {
    isAlive = true;
    receive(data.toString()).catch((error: unknown) => {
      mask(error);
      close(1011, 'The server failed.');
    });
  });
  socket.on('pong', () => (isAlive = true));
  request.socket.on('drain', outlet.drained);
  // What went wrong shows in the close that follows.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    cancelInit();
    stopHeartbeat();
    for (const { stop } of operations.values()) stop();
    operations.clear();
    outlet.drained();
  });

  return {
    get credentialId() {
      return viewer?.credentialId ?? null;
    },
    close,
  };
}

/** `authorization` in any case, as browsers and programs send it. */
function readAuthorization(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const found = Object.entries(payload).find(([name]) => name.toLowerCase() === 'authorization');
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

type ClientMessage =
  | { readonly type: 'connection_init'; readonly payload?: unknown }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: SubscriptionRequest }
  | { readonly type: 'complete'; readonly id: string };

/** Null for anything that is no message of a client. */
function parseMessage(text: string): ClientMessage | null {
  try {
    const message = JSON.parse(text) as Record<string, unknown> | null;
    const { type, id, payload } = message ?? {};
    const hasId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS;
    if (type === 'subscribe' && !(hasId && typeof payload === 'object' && payload !== null)) {
      return null;
    }
    if (type === 'complete' && !hasId) return null;
    return message as unknown as ClientMessage;
  } catch {
    return null;
  }
}

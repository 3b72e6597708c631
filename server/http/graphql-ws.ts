import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Auth } from '../services/auth.ts';
import type { Viewer } from '../services/viewer.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { SubscriptionHub } from './subscription-hub.ts';
import { parseMessage } from './ws-message.ts';
import { createOperations, type Operations } from './ws-operations.ts';

/** The name under which clients ask for this protocol. */
export const WS_PROTOCOL = 'graphql-transport-ws';
/** Bytes of one message of a client. */
export const MAX_MESSAGE_BYTES = 256 * 1_024;

const INIT_TIMEOUT_MS = 10_000;
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

/** One socket as the functions below share it. */
interface Wire {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  send(message: object): void;
  close(code: number, reason: string): void;
}

/** Who speaks on a socket. */
interface Handshake {
  /** Null until `connection_init` has shown a credential that counts. */
  viewer(): Viewer | null;
  initialise(payload: unknown): Promise<void>;
  authenticate(): Promise<Viewer | null>;
  /** Waits no longer for `connection_init`. */
  cancel(): void;
}

/** Speaks the graphql-transport-ws protocol, for subscriptions. */
export function serveWebSocket(
  socket: WebSocket,
  request: IncomingMessage,
  dependencies: WsDependencies,
): WsConnection {
  const { clock, hub, mask } = dependencies;
  const wire: Wire = {
    socket,
    request,
    send: (message) => socket.send(JSON.stringify(message)),
    close: (code, reason) => socket.close(code, reason.slice(0, 120)),
  };
  const handshake = createHandshake(wire, dependencies);
  const operations = createOperations({ socket, hub, mask });
  const stopHeartbeat = startSocketHeartbeat(wire, handshake, clock);

  socket.on('message', (data: Buffer) => {
    receive(data.toString(), wire, { handshake, operations }).catch((error: unknown) => {
      mask(error);
      wire.close(1011, 'The server failed.');
    });
  });
  request.socket.on('drain', operations.drained);
  // What went wrong shows in the close that follows.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    handshake.cancel();
    stopHeartbeat();
    operations.stopAll();
  });

  return {
    get credentialId() {
      return handshake.viewer()?.credentialId ?? null;
    },
    close: wire.close,
  };
}

function createHandshake(
  { request, send, close }: Wire,
  { auth, clock }: WsDependencies,
): Handshake {
  let isBegun = false;
  let viewer: Viewer | null = null;
  let authorization: string | undefined;
  const cancel = clock.after(INIT_TIMEOUT_MS, () => {
    if (viewer === null) close(CLOSE.initTimeout, 'No connection_init came in time.');
  });
  const authenticate = (): Promise<Viewer | null> =>
    auth.authenticate({ cookie: request.headers.cookie, authorization });

  return {
    viewer: () => viewer,

    async initialise(payload) {
      if (isBegun) return close(CLOSE.initTwice, 'The connection is initialised already.');
      isBegun = true;
      authorization = readAuthorization(payload) ?? request.headers.authorization;
      viewer = await authenticate();
      if (viewer === null) return close(CLOSE.forbidden, 'Sign in, or send an API key.');
      cancel();
      send({ type: 'connection_ack' });
    },

    authenticate,
    cancel,
  };
}

/** A client that does not answer is gone; one whose credential has ended has to go. */
function startSocketHeartbeat(wire: Wire, handshake: Handshake, clock: Clock): () => void {
  const { socket, send, close } = wire;
  let isAlive = true;
  const noteLife = (): void => void (isAlive = true);
  socket.on('message', noteLife);
  socket.on('pong', noteLife);
  return startHeartbeat({
    clock,
    beat() {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      if (handshake.viewer() === null) socket.ping();
      else send({ type: 'ping' });
    },
    viewer: handshake.viewer,
    authenticate: handshake.authenticate,
    onCredentialEnd: () => close(CLOSE.forbidden, 'The session or key has ended.'),
  });
}

async function receive(
  text: string,
  { socket, send, close }: Wire,
  { handshake, operations }: { readonly handshake: Handshake; readonly operations: Operations },
): Promise<void> {
  if (socket.bufferedAmount > MAX_WAITING_BYTES) return socket.terminate();
  const message = parseMessage(text);
  switch (message?.type) {
    case 'connection_init':
      return handshake.initialise(message.payload);
    case 'ping':
      return send({ type: 'pong' });
    case 'pong':
      return;
    case 'subscribe': {
      const { id, payload } = message;
      const viewer = handshake.viewer();
      if (viewer === null) return close(CLOSE.unauthorized, 'Send connection_init first.');
      if (operations.has(id)) return close(CLOSE.idTaken, `Subscriber ${id} exists already.`);
      return operations.start(viewer, id, payload);
    }
    case 'complete':
      return operations.complete(message.id);
    default:
      close(CLOSE.badRequest, 'The message is not one of graphql-transport-ws.');
  }
}

/** `authorization` in any case, as browsers and programs send it. */
function readAuthorization(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const found = Object.entries(payload).find(([name]) => name.toLowerCase() === 'authorization');
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

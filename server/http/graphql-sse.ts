import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { AppError, unauthenticated } from '../errors.ts';
import type { Sink } from '../events/cursor.ts';
import type { Auth } from '../services/auth.ts';
import type { Viewer } from '../services/viewer.ts';
import { startHeartbeat } from './heartbeat.ts';
import { readText } from './json-answer.ts';
import type { SubscriptionRequest } from './prepare-subscription.ts';
import { createOutlet } from './socket-sink.ts';
import type { SubscriptionHub } from './subscription-hub.ts';

export interface SseDependencies {
  readonly hub: SubscriptionHub;
  readonly auth: Auth;
  readonly clock: Clock;
  /** The error as a client may see it. */
  mask(error: unknown): { toJSON(): unknown };
}

/** One open stream. */
export interface SseConnection {
  readonly credentialId: string;
  /** Ends it; the client sees the error as the last event. */
  fail(error: unknown): void;
  /** Cuts it off: the client comes back. */
  drop(): void;
}

/** A line without an event: it only shows that the stream lives. */
const COMMENT = ':\n\n';
const MAX_BODY_BYTES = 256 * 1_024;

/**
 * Serves one subscription as server-sent events, in the distinct connections mode of graphql-sse.
 * `id:` is the place after an event, and `Last-Event-ID` goes on there.
 *
 * @param onOpen - told about the stream; returns what to call when it has closed.
 * @throws AppError before anything was sent.
 */
export async function serveSse(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  dependencies: SseDependencies,
  onOpen: (connection: SseConnection) => () => void,
): Promise<void> {
  const { auth, clock, hub } = dependencies;
  const { cookie, authorization } = request.headers;
  const authenticate = (): Promise<Viewer | null> => auth.authenticate({ cookie, authorization });
  const viewer = await authenticate();
  if (viewer === null) {
    throw unauthenticated();
  }
  const operation = await readRequest(request);
  const stream = openStream(response, dependencies);
  const stopHeartbeat = startHeartbeat({
    clock,
    beat: () => void response.write(COMMENT),
    viewer: () => viewer,
    authenticate,
    onCredentialEnd: () => stream.end(credentialEnded()),
  });
  const forget = onOpen({
    credentialId: viewer.credentialId,
    fail: stream.end,
    drop: () => void response.destroy(),
  });
  let stop = (): void => undefined;
  response.once('close', () => {
    stopHeartbeat();
    forget();
    stop();
    stream.drained();
  });
  try {
    const lastEventId = readLastEventId(request);
    stop = await hub.open({ viewer, request: operation, lastEventId, sink: stream.sink });
    if (stream.isClosed()) stop();
  } catch (error) {
    stream.end(error);
  }
}

interface Stream {
  readonly sink: Sink;
  isClosed(): boolean;
  drained(): void;
  /** The last event, and with an error the one before it. */
  end(error: unknown): void;
}

/** Sends the head of the answer, so that the client knows the stream is open. */
function openStream(response: ServerResponse, { mask }: SseDependencies): Stream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.write(COMMENT);
  const isClosed = (): boolean => response.writableEnded || response.destroyed;
  const end = (error: unknown): void => {
    if (isClosed()) return;
    const failure = JSON.stringify({ errors: [error === null ? null : mask(error).toJSON()] });
    response.end(
      `${error === null ? '' : `event: next\ndata: ${failure}\n\n`}event: complete\ndata:\n\n`,
    );
  };
  const outlet = createOutlet({ bufferedBytes: () => response.writableLength, isClosed });
  response.on('drain', outlet.drained);
  const sink = outlet.createSink({
    send: ({ position, payload }) =>
      void response.write(`event: next\nid: ${position}\ndata: ${payload}\n\n`),
    end,
  });
  return { sink, isClosed, drained: outlet.drained, end };
}

export const credentialEnded = (): AppError =>
  new AppError('UNAUTHENTICATED', 'The session or key has ended.');

function readLastEventId({ headers }: IncomingMessage): string | null {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : null;
}

async function readRequest(request: IncomingMessage): Promise<SubscriptionRequest> {
  if (request.method === 'GET') {
    const { searchParams } = new URL(request.url ?? '/', 'http://server');
    const variables = searchParams.get('variables');
    return {
      query: searchParams.get('query'),
      operationName: searchParams.get('operationName'),
      variables: variables === null ? null : parseJson(variables, 'variables'),
    };
  }
  if (request.method !== 'POST') {
    throw new AppError('BAD_INPUT', `Subscriptions come with POST or GET, not ${request.method}.`);
  }
  const body = parseJson(await readText(request, MAX_BODY_BYTES), 'The body');
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new AppError('BAD_INPUT', 'The body must be a JSON object with the field query.');
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError('BAD_INPUT', `${what} must be JSON.`, { cause: error });
  }
}

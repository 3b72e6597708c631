import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { createFastLane } from './fast-lane.ts';
import type { YogaHandler } from './graphql-http.ts';
import { readText } from './json-answer.ts';

/** Long messages come as GraphQL variables. */
const MAX_BODY_BYTES = 4_500_000;

export type GraphQLRoute = (
  request: IncomingMessage,
  response: ServerResponse,
  viewer: Viewer | null,
) => Promise<void>;

/** Queries and mutations at /graphql: known documents compiled, everything else by Yoga. */
export function createGraphQLRoute(dependencies: {
  readonly services: Services;
  readonly log: Log;
}): GraphQLRoute {
  // Yoga and GraphiQL take long to load, and nobody waits for them at the start.
  let loading: Promise<YogaHandler> | null = null;
  const load = (): Promise<YogaHandler> =>
    (loading ??= import('./graphql-http.ts').then(({ createGraphQLHandler }) =>
      createGraphQLHandler(dependencies),
    ));
  const handle: YogaHandler = async (...visit) => (await load())(...visit);
  const fastLane = createFastLane(dependencies);

  return async (request, response, viewer) => {
    if (request.method === 'GET' && accepts(request, 'text/html')) {
      requireOperator(viewer);
      // GraphiQL is one page with its script inside.
      response.setHeader(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; frame-ancestors 'none'",
      );
    }
    if (request.method !== 'POST' || !isJson(request)) return handle(request, response, { viewer });

    const text = await readText(request, MAX_BODY_BYTES);
    const body = parseObject(text);
    const problem = body === null ? null : findProblem(body);
    if (problem !== null) return sendRefusal(request, response, problem);
    if (body !== null) {
      const answer = await fastLane.answer(body, viewer);
      if (answer !== null) return sendAnswer(request, response, answer);
    }
    await handle(withBody(request, text), response, { viewer });
    if (body !== null && viewer !== null) fastLane.learn(body);
  };
}

const accepts = (request: IncomingMessage, type: string): boolean =>
  request.headers.accept?.includes(type) ?? false;

const isJson = (request: IncomingMessage): boolean =>
  /^application\/json\b/i.test(request.headers['content-type'] ?? '');

function requireOperator(viewer: Viewer | null): void {
  if (viewer?.role === 'OPERATOR') return;
  throw new AppError(
    'FORBIDDEN',
    'GraphiQL is for operators: sign in as one in the console first.',
  );
}

/** Null for anything but a JSON object; Yoga says what is wrong with it. */
function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Fields that Yoga would take in any form. */
function findProblem({ operationName, extensions }: Readonly<Record<string, unknown>>) {
  if (operationName != null && typeof operationName !== 'string') {
    return 'The field operationName must hold text.';
  }
  const isObject = typeof extensions === 'object' && !Array.isArray(extensions);
  return extensions == null || isObject ? null : 'The field extensions must hold an object.';
}

/** The request once more, with the body that was read from it. */
function withBody(request: IncomingMessage, text: string): IncomingMessage {
  return Object.assign(Readable.from([Buffer.from(text)]), {
    method: request.method,
    url: request.url,
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    socket: request.socket,
    httpVersion: request.httpVersion,
  }) as unknown as IncomingMessage;
}

function sendRefusal(request: IncomingMessage, response: ServerResponse, message: string): void {
  const errors = [{ message, extensions: { code: 'BAD_INPUT' } }];
  send(request, response, { status: 400, body: JSON.stringify({ errors }) });
}

function sendAnswer(request: IncomingMessage, response: ServerResponse, body: string): void {
  send(request, response, { status: 200, body });
}

/** Clients of the older media type get it back, as the GraphQL-over-HTTP draft wants. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: { readonly status: number; readonly body: string },
): void {
  const isModern = accepts(request, 'application/graphql-response+json');
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': `${isModern ? 'application/graphql-response+json' : 'application/json'}; charset=utf-8`,
    'content-length': bytes.byteLength,
  });
  response.end(bytes);
}

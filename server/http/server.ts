import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AppError, unauthenticated } from '../errors.ts';
import { createId } from '../id.ts';
import type { Log } from '../log.ts';
import type { Accounts } from '../services/accounts.ts';
import type { Auth } from '../services/auth.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import type { AccountRoutes } from './account-routes.ts';
import type { ConsoleHandler } from './console-routes.ts';
import { receiveUpload, sendFile } from './file-routes.ts';
import type { GraphQLRoute } from './graphql-route.ts';
import { sendError, sendJson } from './json-answer.ts';
import type { Metrics } from './metrics.ts';
import { checkOrigin, checkSameSite, type OriginRules } from './request-facts.ts';
import { sendTools } from './tools-route.ts';

export interface HttpServerDependencies {
  readonly log: Log;
  readonly auth: Auth;
  readonly accounts: Accounts;
  readonly services: Services;
  readonly accountRoutes: AccountRoutes;
  readonly graphql: GraphQLRoute;
  /** Serves a subscription over SSE. */
  readonly sse: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly console: ConsoleHandler;
  readonly metrics: Metrics;
  readonly origins: OriginRules;
  readonly trustProxy: boolean;
  /** Null while the server can work; otherwise why it cannot. */
  unreadyReason(): Promise<string | null>;
  /** Told when a session was signed out. */
  onSignOut(credentialId: string, userId: string): void;
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

/** One port for everything: API, files, account routes, health and the console. */
export function createHttpServer(dependencies: HttpServerDependencies): Server {
  const { log } = dependencies;
  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 0, maxHeaderSize: 32_768, keepAliveTimeout: 65_000 },
    (request, response) => {
      const startedAt = performance.now();
      const requestId = createId();
      response.setHeader('x-request-id', requestId);
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
      response.once('close', () => {
        const elapsedMs = Math.round(performance.now() - startedAt);
        const path = request.url?.split('?')[0];
        log.debug({
          requestId,
          method: request.method,
          path,
          status: response.statusCode,
          elapsedMs,
        });
      });
      route(request, response, dependencies).catch((error: unknown) => {
        if (isAbort(error)) return void response.destroy();
        sendError(response, error, log);
        // What is left of a refused body must not block the next request of the connection.
        request.resume();
      });
    },
  );
  return server;
}

/** The caller went away in the middle; nobody is there to be told. */
const isAbort = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'].includes(String(error.code));

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: HttpServerDependencies,
): Promise<void> {
  const target = request.url ?? '/';
  if (!URL.canParse(target, 'http://server'))
    throw new AppError('BAD_INPUT', 'The address is not valid.');
  const visit: Visit = { request, response, url: new URL(target, 'http://server') };
  const { pathname } = visit.url;
  if (pathname === '/graphql') return routeGraphQL(visit, dependencies);
  if (pathname.startsWith('/api/auth/')) return routeAuth(visit, dependencies);
  if (pathname.startsWith('/generated-files/')) return routeFile(visit, dependencies);
  const handle = ROUTES[`${request.method} ${pathname}`];
  if (handle !== undefined) return handle(visit, dependencies);
  if (/^\/(api|uploads|metrics|healthz|readyz)(\/|$)/.test(pathname)) {
    throw new AppError('NOT_FOUND', `There is no ${request.method} ${pathname}.`);
  }
  response.removeHeader('content-security-policy');
  response.setHeader('content-security-policy', "frame-ancestors 'none'");
  dependencies.console(request, response);
}

type Handler = (visit: Visit, dependencies: HttpServerDependencies) => Promise<void> | void;

const ROUTES: Readonly<Record<string, Handler>> = {
  'GET /healthz': ({ response }) => sendJson(response, 200, { status: 'ok' }),
  'GET /readyz': async ({ response }, { unreadyReason }) => {
    const reason = await unreadyReason();
    if (reason === null) sendJson(response, 200, { status: 'ready' });
    else sendJson(response, 503, { error: { code: 'UNAVAILABLE', message: reason } });
  },
  'GET /metrics': async (visit, dependencies) => {
    const viewer = await requireViewer(visit, dependencies);
    if (viewer.role !== 'OPERATOR') throw new AppError('FORBIDDEN', 'Metrics are for operators.');
    visit.response.setHeader('content-type', dependencies.metrics.contentType);
    visit.response.end(await dependencies.metrics.print());
  },
  'GET /api/v1/tools': async (visit, dependencies) =>
    sendTools(visit.response, {
      viewer: await requireViewer(visit, dependencies),
      services: dependencies.services,
    }),
  'GET /api/v1/session': async (visit, dependencies) =>
    dependencies.accountRoutes.session(visit.response, await viewerOf(visit, dependencies)),
  'POST /api/v1/invitations/accept': (visit, dependencies) => {
    checkSameSite(visit.request, dependencies.origins);
    return dependencies.accountRoutes.accept(visit.request, visit.response);
  },
  'POST /uploads': async (visit, dependencies) => {
    checkSameSite(visit.request, dependencies.origins);
    const viewer = await requireViewer(visit, dependencies);
    const { files } = dependencies.services;
    await receiveUpload(visit.request, visit.response, { viewer, files });
  },
};

const viewerOf = ({ request }: Visit, { auth }: HttpServerDependencies): Promise<Viewer | null> =>
  auth.authenticate({
    cookie: request.headers.cookie,
    authorization: request.headers.authorization,
  });

async function requireViewer(visit: Visit, dependencies: HttpServerDependencies): Promise<Viewer> {
  const viewer = await viewerOf(visit, dependencies);
  if (viewer !== null) return viewer;
  throw unauthenticated();
}

async function routeGraphQL(visit: Visit, dependencies: HttpServerDependencies): Promise<void> {
  const { request, response } = visit;
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
  if (wantsEvents(request)) {
    // An EventSource comes with GET, and can send no header of ours.
    if (request.method === 'POST') checkSameSite(request, dependencies.origins);
    else checkOrigin(request, dependencies.origins);
    return dependencies.sse(request, response);
  }
  if (!isPage) checkSameSite(request, dependencies.origins);
  await dependencies.graphql(request, response, await viewerOf(visit, dependencies));
}

/** A client that also takes JSON asks for queries. */
const wantsEvents = ({ headers: { accept = '' } }: IncomingMessage): boolean =>
  accept.includes('text/event-stream') && !/application\/(graphql-response\+)?json/.test(accept);

async function routeAuth(visit: Visit, dependencies: HttpServerDependencies): Promise<void> {
  const { request, response } = visit;
  if (request.method !== 'GET') checkSameSite(request, dependencies.origins);
  const isSignOut = visit.url.pathname === '/api/auth/sign-out';
  const viewer = isSignOut ? await viewerOf(visit, dependencies) : null;
  const forwarded = dependencies.trustProxy ? request.headers['x-forwarded-for'] : undefined;
  // The library counts tries by this header alone, which callers cannot choose.
  request.headers['x-signalbox-address'] =
    String(forwarded ?? '')
      .split(',')[0]!
      .trim() ||
    (request.socket.remoteAddress ?? '');
  await dependencies.auth.handle(request, response);
  if (viewer === null || response.statusCode >= 400) return;
  dependencies.onSignOut(viewer.credentialId, viewer.id);
}

async function routeFile(visit: Visit, dependencies: HttpServerDependencies): Promise<void> {
  const { request, response, url } = visit;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new AppError('BAD_INPUT', 'Files can only be read here.');
  }
  const viewer = await requireViewer(visit, dependencies);
  await sendFile(request, response, { viewer, files: dependencies.services.files, url });
}

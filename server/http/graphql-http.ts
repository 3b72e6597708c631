import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { parse, type ParseOptions, type Source } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createContext, type GraphQLContext } from '../graphql/context.ts';
import { createErrorMask } from '../graphql/mask-error.ts';
import { schema } from '../graphql/schema.ts';
import type { Log } from '../log.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { EXAMPLES } from './graphiql-examples.ts';
import { LIMIT_RULES, MAX_TOKENS } from './limit-rules.ts';

/** What Yoga is handed with each request. */
export interface RequestContext {
  readonly viewer: Viewer | null;
}

export type YogaHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
) => Promise<void>;

const limits: Plugin = {
  onParse({ setParseFn }) {
    setParseFn((source: string | Source, options?: ParseOptions) =>
      parse(source, { ...options, maxTokens: MAX_TOKENS }),
    );
  },
  onValidate({ addValidationRule }) {
    for (const rule of LIMIT_RULES) addValidationRule(rule);
  },
};

/** What Yoga calls the mistakes of a caller. */
const FOREIGN_CODES = new Set<unknown>([
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
]);

/** Clients branch on one list of codes. */
const oneListOfCodes: Plugin = {
  onResultProcess({ result }) {
    if (!('errors' in result)) return;
    for (const { extensions } of result.errors ?? []) {
      if (FOREIGN_CODES.has(extensions['code'])) extensions['code'] = 'BAD_INPUT';
    }
  },
};

/** Everything at /graphql that is neither a known document nor a subscription. */
export function createGraphQLHandler({
  services,
  log,
}: {
  readonly services: Services;
  readonly log: Log;
}): YogaHandler {
  const mask = createErrorMask(log);
  const yoga = createYoga<RequestContext, GraphQLContext>({
    schema,
    context: ({ viewer }) => createContext(viewer, services),
    plugins: [limits, oneListOfCodes],
    maskedErrors: { maskError: mask },
    logging: false,
    batching: false,
    multipart: false,
    cors: false,
    landingPage: false,
    graphiql: {
      title: 'Signalbox API',
      defaultTabs: EXAMPLES,
      subscriptionsProtocol: 'WS',
      headers: JSON.stringify({ 'X-Signalbox': '1' }),
    },
    renderGraphiQL,
  });
  return async (request, response, context) => {
    await yoga(request, response, context);
  };
}

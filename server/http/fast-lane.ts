import { parse, specifiedRules, validate, type DocumentNode } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { createContext } from '../graphql/context.ts';
import { createErrorMask } from '../graphql/mask-error.ts';
import { schema } from '../graphql/schema.ts';
import type { Log } from '../log.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { LIMIT_RULES, MAX_TOKENS } from './limit-rules.ts';

/** Answers queries and mutations whose document has been seen before, compiled. */
export interface FastLane {
  /**
   * The response body, or null when the request has to take the ordinary way: an unknown document,
   * anything unusual about it, or variables that do not fit.
   */
  answer(request: Readonly<Record<string, unknown>>, viewer: Viewer | null): Promise<string | null>;
  /** Remembers a document for the next time; does nothing with one that is not valid. */
  learn(request: Readonly<Record<string, unknown>>): void;
}

const REMEMBERED_AT_MOST = 500;
const MAX_DOCUMENT_CHARACTERS = 20_000;

export function createFastLane({
  services,
  log,
}: {
  readonly services: Services;
  readonly log: Log;
}): FastLane {
  const mask = createErrorMask(log);
  // Null: the document is known, and has to take the ordinary way.
  const known = new Map<string, CompiledQuery | null>();

  return {
    async answer(request, viewer) {
      const { query, variables } = request;
      if (typeof query !== 'string') return null;
      const compiled = known.get(query);
      if (compiled === undefined || compiled === null) return null;
      if (variables !== undefined && (typeof variables !== 'object' || Array.isArray(variables))) {
        return null;
      }
      const result = await compiled.query(
        undefined,
        createContext(viewer, services),
        variables as Record<string, unknown> | null,
      );
      // Variables that do not fit: graphql-js has the wording that clients know.
      if (result.data === undefined) return null;
      const errors = result.errors?.map((error) => mask(error).toJSON());
      return JSON.stringify(errors === undefined ? result : { errors, data: result.data });
    },

    learn({ query, operationName, extensions }) {
      const isPlain = operationName == null && extensions == null;
      if (typeof query !== 'string' || known.has(query)) return;
      if (query.length > MAX_DOCUMENT_CHARACTERS) return;
      if (known.size >= REMEMBERED_AT_MOST) known.delete(known.keys().next().value!);
      known.set(query, isPlain || isSingle(query) ? compile(query) : null);
    },
  };
}

/** A document that holds one operation needs no name to tell which. */
const isSingle = (query: string): boolean =>
  (query.match(/\b(query|mutation)\b/g)?.length ?? 0) === 1;

function compile(query: string): CompiledQuery | null {
  const document = parseOrNull(query);
  if (document === null) return null;
  const operations = document.definitions.filter(({ kind }) => kind === 'OperationDefinition');
  const [operation] = operations;
  if (operations.length !== 1 || operation?.kind !== 'OperationDefinition') return null;
  if (operation.operation === 'subscription') return null;
  // Directives and introspection are rare, and left to graphql-js.
  if (query.includes('@') || query.includes('__schema') || query.includes('__type(')) return null;
  if (validate(schema, document, [...specifiedRules, ...LIMIT_RULES]).length > 0) return null;
  const compiled = compileQuery(schema, document);
  return isCompiledQuery(compiled) ? compiled : null;
}

/** A document that does not parse is answered, and explained, on the ordinary way. */
function parseOrNull(query: string): DocumentNode | null {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch {
    return null;
  }
}

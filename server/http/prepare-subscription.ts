import {
  GraphQLError,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { AppError } from '../errors.ts';
import { createContext } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { LIMIT_RULES } from './graphql-http.ts';

/** What a client sends to subscribe, over either transport. */
export interface SubscriptionRequest {
  readonly query?: unknown;
  readonly variables?: unknown;
  readonly operationName?: unknown;
}

/** Makes the payload of one event, whatever stream it came from. */
export type EncodeLine = (line: unknown) => string;

export interface PreparedSubscription {
  readonly field: 'chatEvents' | 'toolEvents' | 'viewerEvents';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Subscriptions with the same key are sent the same bytes. */
  readonly groupKey: string;
  /** Makes a new encoder for the group. */
  createEncoder(): EncodeLine;
}

const MAX_DOCUMENT_CHARACTERS = 20_000;
const MAX_TOKENS = 2_000;
/** Arguments that say where to begin; they change nothing of what an event looks like. */
const CURSOR_ARGUMENTS = new Set(['afterSequence', 'after']);

/**
 * Checks a subscription as queries are checked.
 *
 * @throws GraphQLError for a document or variables that are not right.
 * @throws AppError `BAD_INPUT` for a request that is no subscription at all.
 */
export function prepareSubscription(
  request: SubscriptionRequest,
  viewer: Viewer,
  services: Services,
): PreparedSubscription {
  const { query, operationName = null } = request;
  const document = parseDocument(query);
  const operation = findOperation(document, operationName);
  const variables = readVariables(operation, request.variables);
  const field = rootField(operation);
  const definition = schema.getSubscriptionType()!.getFields()[field.name.value]!;
  return {
    field: field.name.value as PreparedSubscription['field'],
    arguments: getArgumentValues(definition, field, variables),
    groupKey: JSON.stringify([
      query,
      operationName,
      withoutCursor(variables, field),
      viewer.id,
      viewer.role,
    ]),
    createEncoder: () => createEncoder({ document, operationName, variables }, viewer, services),
  };
}

function parseDocument(query: unknown): DocumentNode {
  if (typeof query !== 'string') {
    throw new AppError('BAD_INPUT', 'The field query must hold the text of a subscription.');
  }
  if (query.length > MAX_DOCUMENT_CHARACTERS) {
    throw new AppError(
      'BAD_INPUT',
      `The document has ${query.length} characters, but at most ${MAX_DOCUMENT_CHARACTERS} are accepted.`,
    );
  }
  const document = parse(query, { maxTokens: MAX_TOKENS });
  const [error] = validate(schema, document, [...specifiedRules, ...LIMIT_RULES]);
  if (error !== undefined) throw error;
  return document;
}

function findOperation(document: DocumentNode, name: unknown): OperationDefinitionNode {
  const operation = getOperationAST(document, typeof name === 'string' ? name : null);
  if (operation?.operation === 'subscription') return operation;
  const found = operation == null ? 'no operation to choose' : `a ${operation.operation}`;
  throw new AppError('BAD_INPUT', `There is ${found} here, but a subscription is wanted.`);
}

type Variables = Readonly<Record<string, unknown>>;

function readVariables(operation: OperationDefinitionNode, given: unknown): Variables {
  if (given != null && (typeof given !== 'object' || Array.isArray(given))) {
    throw new AppError('BAD_INPUT', 'The field variables must hold an object.');
  }
  const { coerced, errors } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    (given ?? {}) as Record<string, unknown>,
    { maxErrors: 5 },
  );
  if (errors !== undefined) throw errors[0]!;
  return coerced;
}

/** Validation has made sure that there is one; it may stand in a fragment. */
function rootField(operation: OperationDefinitionNode): FieldNode {
  const [first] = operation.selectionSet.selections;
  if (first?.kind === Kind.FIELD && first.name.value !== '__typename') return first;
  throw new GraphQLError('The field of a subscription must stand in the operation itself.');
}

function withoutCursor(variables: Variables, field: FieldNode): Variables {
  const cursors = (field.arguments ?? [])
    .filter(({ name }) => CURSOR_ARGUMENTS.has(name.value))
    .flatMap(({ value }) => (value.kind === Kind.VARIABLE ? [value.name.value] : []));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !cursors.includes(name)));
}

function createEncoder(
  operation: {
    readonly document: DocumentNode;
    readonly operationName: unknown;
    readonly variables: Variables;
  },
  viewer: Viewer,
  services: Services,
): EncodeLine {
  const { document, operationName, variables } = operation;
  const compiled = compileQuery(
    schema,
    document,
    typeof operationName === 'string' ? operationName : undefined,
  );
  if (!isCompiledQuery(compiled)) throw compiled.errors?.[0] ?? new Error('Nothing was compiled.');
  return (line) => {
    const result = compiled.query(line, createContext(viewer, services), variables);
    if (result instanceof Promise) throw new Error('A field of an event waits for something.');
    const [error] = result.errors ?? [];
    if (error !== undefined) throw error;
    return JSON.stringify({ data: result.data });
  };
}

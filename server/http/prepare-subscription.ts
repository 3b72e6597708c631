import { getArgumentValues, getVariableValues, type OperationDefinitionNode } from 'graphql';
import { AppError } from '../errors.ts';
import { createContext } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { openDocument, type SubscriptionDocument } from './subscription-document.ts';

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

type Variables = Readonly<Record<string, unknown>>;

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
  const document = openDocument(query, operationName);
  const { operation, field } = document;
  const variables = readVariables(operation, request.variables);
  const definition = schema.getSubscriptionType()!.getFields()[field.name.value]!;
  const key = [query, operationName, withoutCursor(variables, document), viewer.id, viewer.role];
  return {
    field: field.name.value as PreparedSubscription['field'],
    arguments: getArgumentValues(definition, field, variables),
    groupKey: JSON.stringify(key),
    createEncoder: () => createEncoder(document, variables, createContext(viewer, services)),
  };
}

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

function withoutCursor(variables: Variables, { field }: SubscriptionDocument): Variables {
  const cursors = (field.arguments ?? [])
    .filter(({ name }) => CURSOR_ARGUMENTS.has(name.value))
    .flatMap(({ value }) => (value.kind === 'Variable' ? [value.name.value] : []));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !cursors.includes(name)));
}

function createEncoder(
  { execute }: SubscriptionDocument,
  variables: Variables,
  context: ReturnType<typeof createContext>,
): EncodeLine {
  return (line) => {
    const result = execute(line, context, variables);
    if (result instanceof Promise) throw new Error('A field of an event waits for something.');
    const [error] = result.errors ?? [];
    if (error !== undefined) throw error;
    return JSON.stringify({ data: result.data });
  };
}

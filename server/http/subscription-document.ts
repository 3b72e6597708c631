import {
  GraphQLError,
  getOperationAST,
  Kind,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { AppError } from '../errors.ts';
import { schema } from '../graphql/schema.ts';
import { LIMIT_RULES, MAX_TOKENS } from './limit-rules.ts';

/** A checked document with one subscription chosen in it. */
export interface SubscriptionDocument {
  readonly operation: OperationDefinitionNode;
  readonly field: FieldNode;
  /** Executes the operation for one event, as root value. */
  readonly execute: CompiledQuery['query'];
}

const MAX_DOCUMENT_CHARACTERS = 20_000;
/** Clients send few documents, each again and again; checking and compiling one takes milliseconds. */
const REMEMBERED_AT_MOST = 200;

const remembered = new Map<string, SubscriptionDocument>();

/**
 * @throws GraphQLError for a document that is not right.
 * @throws AppError `BAD_INPUT` for one that is too long, or no subscription.
 */
export function openDocument(query: unknown, operationName: unknown): SubscriptionDocument {
  if (typeof query !== 'string') {
    throw new AppError('BAD_INPUT', 'The field query must hold the text of a subscription.');
  }
  if (query.length > MAX_DOCUMENT_CHARACTERS) {
    throw new AppError(
      'BAD_INPUT',
      `The document has ${query.length} characters, but at most ${MAX_DOCUMENT_CHARACTERS} are accepted.`,
    );
  }
  const name = typeof operationName === 'string' ? operationName : null;
  const key = JSON.stringify([name, query]);
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const opened = checkDocument(query, name);
  if (remembered.size >= REMEMBERED_AT_MOST) remembered.delete(remembered.keys().next().value!);
  remembered.set(key, opened);
  return opened;
}

function checkDocument(query: string, name: string | null): SubscriptionDocument {
  const document = parse(query, { maxTokens: MAX_TOKENS });
  const [error] = validate(schema, document, [...specifiedRules, ...LIMIT_RULES]);
  if (error !== undefined) throw error;
  const operation = findOperation(document, name);
  const field = rootField(operation);
  const compiled = compileQuery(schema, document, name ?? undefined);
  if (!isCompiledQuery(compiled)) throw compiled.errors?.[0] ?? new Error('Nothing was compiled.');
  return { operation, field, execute: compiled.query };
}

function findOperation(document: DocumentNode, name: string | null): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation?.operation === 'subscription') return operation;
  const found = operation == null ? 'no operation to choose' : `a ${operation.operation}`;
  throw new AppError('BAD_INPUT', `There is ${found} here, but a subscription is wanted.`);
}

/** Validation has made sure that there is one; it may stand in a fragment. */
function rootField(operation: OperationDefinitionNode): FieldNode {
  const [first] = operation.selectionSet.selections;
  if (first?.kind === Kind.FIELD && !first.name.value.startsWith('__')) return first;
  throw new GraphQLError('The field of a subscription must stand in the operation itself.');
}

import { GraphQLError } from 'graphql';
import { AppError } from '../errors.ts';
import { createId } from '../id.ts';
import type { Log } from '../log.ts';
import { toCallerError } from '../services/database-errors.ts';

/**
 * Lets expected failures through with their code; everything else is logged under an id and becomes
 * one opaque message that carries this id.
 */
export function createErrorMask(log: Log): (error: unknown) => GraphQLError {
  return (error) => {
    const located = error instanceof GraphQLError ? error : null;
    const cause = toCallerError(located?.originalError ?? error);
    const place =
      located === null ? {} : { nodes: located.nodes ?? null, path: located.path ?? null };
    if (cause instanceof AppError) {
      return new GraphQLError(cause.message, {
        ...place,
        extensions: { ...cause.details, code: cause.code },
      });
    }
    if (cause instanceof GraphQLError) return withCode(cause, located);
    const errorId = createId();
    log.error({ error: cause, errorId }, 'A GraphQL operation failed.');
    return new GraphQLError(`Something went wrong inside the server (error ${errorId}).`, {
      ...place,
      extensions: { code: 'INTERNAL', errorId },
    });
  };
}

/** Syntax, validation and variables: the client's own mistakes. */
function withCode(error: GraphQLError, located: GraphQLError | null): GraphQLError {
  const { nodes, path, source, positions, message, extensions } = located ?? error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    path: path ?? null,
    source: source ?? null,
    positions: positions ?? null,
    // Of the libraries' own codes clients are told none: there is one list.
    extensions: { ...extensions, code: 'BAD_INPUT' },
  });
}

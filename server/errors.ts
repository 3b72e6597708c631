/** What went wrong, in a word a client may branch on. Adding one is an API change. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_INPUT'
  | 'CONFLICT'
  | 'OVERLOADED'
  | 'UNAVAILABLE';

export interface AppErrorOptions extends ErrorOptions {
  /** Facts for the client beside the code, e.g. the id of the turn that is in the way. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/**
 * An expected failure whose message is safe to show to the caller.
 * Anything else that reaches the edge is a bug: it is logged and masked.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Characters of an id that a message repeats: whoever asks may send anything as one. */
const SHOWN_ID_CHARACTERS = 100;

export const notFound = (kind: string, id: string): AppError =>
  new AppError(
    'NOT_FOUND',
    `${kind} ${id.slice(0, SHOWN_ID_CHARACTERS)} does not exist or is not yours.`,
  );

/** For a request of nobody. */
export const unauthenticated = (): AppError =>
  new AppError('UNAUTHENTICATED', 'Sign in, or send an API key as "Authorization: Bearer …".');

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

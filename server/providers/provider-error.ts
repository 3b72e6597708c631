/** What went wrong with an outside service, in a word a tool may branch on. */
export type ProviderErrorKind =
  | 'cancelled'
  | 'timed-out'
  | 'unreachable'
  | 'rate-limited'
  | 'unavailable'
  | 'refused'
  | 'not-found'
  | 'too-large'
  | 'malformed';

export interface ProviderErrorFacts {
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfterMs?: number | null;
  /** The system's code of a failed connection, e.g. `ENOTFOUND`. */
  readonly causeCode?: string | null;
}

/** A request to an outside service that came to nothing; the message is a whole sentence that a model may read. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly causeCode: string | null;

  constructor(kind: ProviderErrorKind, message: string, facts: ProviderErrorFacts = {}) {
    super(message);
    this.kind = kind;
    this.status = facts.status ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.causeCode = facts.causeCode ?? null;
  }
}

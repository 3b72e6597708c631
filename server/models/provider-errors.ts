import { messageOf } from '../errors.ts';
import { ModelError, type ModelErrorKind } from './model.ts';

interface HttpFailure {
  readonly status: number;
  readonly message: string;
  readonly headers: Headers | null;
}

const MAX_MESSAGE_CHARACTERS = 400;
/** Anything that looks like a key. */
const KEY = /\b(sk|key|pk|rk)-[\w-]{8,}|Bearer\s+\S+/gi;

const shortMessage = (message: string): string =>
  message.replace(KEY, '[secret]').replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE_CHARACTERS);

/** What an SDK or the network threw, as a ModelError; an abort stays what it is. */
export function toModelError(error: unknown, provider: string): Error {
  if (error instanceof ModelError) return error;
  const failure = httpFailureOf(error);
  if (failure !== null) return fromStatus(failure, provider, error);
  if (error instanceof SyntaxError) {
    return new ModelError('malformed', `${provider} sent an answer that is not valid JSON.`, {
      cause: error,
    });
  }
  if (isNetworkFailure(error)) {
    return new ModelError('network', `${provider} cannot be reached, or cut the connection.`, {
      cause: error,
      isRetryable: true,
    });
  }
  return new ModelError('server', `${provider} failed: ${shortMessage(messageOf(error))}`, {
    cause: error,
  });
}

const SOCKET = /^(UND_ERR|ECONN|ENOTFOUND|EAI|EPIPE|ETIMEDOUT|EHOST|ENET|ERR_SSL|CERT)/;

/** The SDKs wrap what the runtime's fetch threw, and that what the socket said. */
function isNetworkFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && SOCKET.test(code)) return true;
    if (/^(fetch failed|terminated)$/.test(cause.message) || cause.name === 'TimeoutError') {
      return true;
    }
  }
  return false;
}

function httpFailureOf(error: unknown): HttpFailure | null {
  if (!(error instanceof Error) || !('status' in error)) return null;
  const { status, headers } = error as { status: unknown; headers?: unknown };
  if (typeof status !== 'number') return fromEvent(error as Error & EventFailure);
  return { status, message: error.message, headers: headers instanceof Headers ? headers : null };
}

/** What an error event inside a stream says; it has no status. */
interface EventFailure {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message: string;
}

const EVENT_STATUS: readonly (readonly [RegExp, number])[] = [
  [/overloaded/i, 529],
  [/rate.?limit/i, 429],
  [/context.?(length|window)|invalid_(request|prompt)/i, 400],
  [/server_error|api_error|internal/i, 500],
];

/** The status that a provider would have answered with; null if it cannot be told. */
function fromEvent({ type, code, message }: EventFailure): HttpFailure | null {
  const number = Number(code);
  if (number >= 400 && number < 600) return { status: number, message, headers: null };
  const word = `${String(type ?? '')} ${String(code ?? '')} ${message}`;
  const status = EVENT_STATUS.find(([pattern]) => pattern.test(word))?.[1];
  return status === undefined ? null : { status, message: word.trim(), headers: null };
}

/** A failure that came as an event, as a ModelError. */
export function eventError(failure: EventFailure, provider: string): ModelError {
  const known = fromEvent(failure);
  return known === null
    ? new ModelError('server', `${provider} failed: ${shortMessage(failure.message)}`)
    : fromStatus(known, provider, undefined);
}

function fromStatus({ status, message, headers }: HttpFailure, provider: string, cause: unknown) {
  const [kind, text] = describeStatus(status, message, provider);
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  const isQuota = /insufficient_quota|credit balance/i.test(message);
  return new ModelError(kind, text, {
    cause,
    isRetryable: isRetryable && !isQuota,
    retryAfterMs: readRetryAfter(headers),
  });
}

function describeStatus(
  status: number,
  message: string,
  provider: string,
): readonly [ModelErrorKind, string] {
  const said = shortMessage(message);
  if (status === 401 || status === 403) {
    return ['authentication', `${provider} refused the key (${status}): check its setting.`];
  }
  if (status === 404) return ['not-found', `${provider} does not know this model (404): ${said}`];
  if (status === 429) return ['rate-limit', `${provider} is asked too often (429): ${said}`];
  if (status === 413 || /context.?(length|window)|too long|maximum context/i.test(message)) {
    return ['context-length', `The chat is too long for this model: ${said}`];
  }
  if (status === 529 || status === 503)
    return ['overloaded', `${provider} is overloaded (${status}).`];
  if (status >= 500) return ['server', `${provider} failed (${status}): ${said}`];
  return ['bad-request', `${provider} refused the request (${status}): ${said}`];
}

function readRetryAfter(headers: Headers | null): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = headers?.get('retry-after');
  if (text == null) return null;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

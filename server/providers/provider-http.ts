import { type Clock, systemClock } from '../clock.ts';
import { type LimitedTime, limitTime } from './limit-time.ts';
import { exchange, type ProviderAnswer, type ProviderRequest } from './provider-exchange.ts';
import { ProviderError } from './provider-error.ts';

/** Whose request it is: aborted with the tool's call, never longer than its deadline. */
export interface ProviderCall {
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly deadlineAt: number;
}

/** Speaks to one fixed outside service. Addresses that a person or model gave are not for this client. */
export interface ProviderHttp {
  /**
   * Sends a request and resolves with an answer of status 2xx, read as text.
   *
   * What may pass by itself (lost connections, 429, 5xx) is tried again while the call's deadline
   * allows; a `Retry-After` is obeyed, or the request given up at once if it lies too far off.
   *
   * @throws ProviderError for everything else.
   */
  requestText(
    url: string | URL,
    call: ProviderCall,
    request?: ProviderRequest,
  ): Promise<ProviderAnswer>;
  /** As `requestText`, parsed as JSON; a body that is no JSON is asked for once more. */
  requestJson(url: string | URL, call: ProviderCall, request?: ProviderRequest): Promise<unknown>;
}

export interface ProviderHttpOptions {
  /** The service's name as people know it. */
  readonly provider: string;
  readonly userAgent: string;
  /** Milliseconds for one request with all its attempts. Default 20,000. */
  readonly timeoutMs?: number;
  /** Decompressed bytes of one answer. Default 4,000,000. */
  readonly maxBytes?: number;
  /** Default 3. */
  readonly maxAttempts?: number;
  /** Finds the reason in the body of an error; null when it holds none. */
  describeError?(body: string): string | null;
  readonly clock?: Clock;
}

const FIRST_DELAY_MS = 300;

export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const {
    clock = systemClock,
    timeoutMs = 20_000,
    maxBytes = 4_000_000,
    maxAttempts = 3,
  } = options;

  async function run<Result>(
    { url, call, request }: Exchange,
    read: (answer: ProviderAnswer) => Result,
  ): Promise<Result> {
    const endsAt = Math.min(call.deadlineAt, clock.now() + timeoutMs);
    const limited = limitTime(call.signal, endsAt - clock.now(), clock);
    const isRepeatable = (request.method ?? 'GET') === 'GET';
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return read(
            await exchange(new URL(url), request, {
              ...options,
              maxBytes,
              now: clock.now,
              signal: limited.signal,
            }),
          );
        } catch (error) {
          const failure = toProviderError(error, { call, limited, options, now: clock.now() });
          const delayMs =
            attempt < maxAttempts ? findRetryDelay(failure, attempt, isRepeatable) : null;
          if (delayMs === null || clock.now() + delayMs >= endsAt) throw failure;
          await sleep(delayMs, limited.signal, clock);
        }
      }
    } finally {
      limited.release();
    }
  }

  return {
    requestText: (url, call, request = {}) => run({ url, call, request }, (answer) => answer),
    requestJson: (url, call, request = {}) =>
      run({ url, call, request }, ({ text }) => parseJson(text, options.provider)),
  };
}

interface Exchange {
  readonly url: string | URL;
  readonly call: ProviderCall;
  readonly request: ProviderRequest;
}

/** Resolves after the delay, or at once when the signal aborts: the next attempt then fails with the reason. */
function sleep(delayMs: number, signal: AbortSignal, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(delayMs, resolve);
  const wake = (): void => resolve();
  signal.addEventListener('abort', wake, { once: true });
  if (signal.aborted) resolve();
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', wake);
  });
}

/** Milliseconds until another attempt makes sense; null when none does. */
function findRetryDelay(
  { kind, retryAfterMs }: ProviderError,
  attempt: number,
  isRepeatable: boolean,
): number | null {
  const backOffMs = FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
  if (kind === 'rate-limited') {
    // A limit without a time is often a limit for minutes: more than one more attempt only adds to it.
    return retryAfterMs ?? (attempt === 1 ? backOffMs * 3 : null);
  }
  if (kind === 'unavailable') return isRepeatable ? (retryAfterMs ?? backOffMs) : null;
  if (kind === 'unreachable') return isRepeatable ? backOffMs : null;
  if (kind === 'malformed') return isRepeatable && attempt === 1 ? backOffMs : null;
  return null;
}

interface Circumstances {
  readonly call: ProviderCall;
  readonly limited: LimitedTime;
  readonly options: ProviderHttpOptions;
  readonly now: number;
}

function toProviderError(error: unknown, circumstances: Circumstances): ProviderError {
  const { call, limited, options, now } = circumstances;
  const { provider } = options;
  if (limited.hasRunOut() || (call.signal.aborted && now >= call.deadlineAt)) {
    return new ProviderError('timed-out', `${provider} did not answer in time.`);
  }
  if (call.signal.aborted) {
    return new ProviderError('cancelled', `The request to ${provider} was cancelled.`);
  }
  if (error instanceof ProviderError) return error;
  const causeCode = findCauseCode(error);
  if (causeCode === null && !(error instanceof TypeError)) throw error;
  const detail = causeCode === null ? 'the connection was lost' : causeCode;
  return new ProviderError('unreachable', `${provider} cannot be reached (${detail}).`, {
    causeCode,
  });
}

/** The code of what lies at the bottom: undici wraps a failed connection in a TypeError. */
function findCauseCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return findCauseCode(error.cause);
}

function parseJson(text: string, provider: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ProviderError('malformed', `${provider} sent an answer that is no complete JSON.`);
  }
}

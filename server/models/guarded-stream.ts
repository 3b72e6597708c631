import { ModelError } from './model.ts';

export interface GuardedStreamOptions {
  readonly provider: string;
  readonly signal: AbortSignal;
  /** Milliseconds without an event after which the stream is given up. */
  readonly idleTimeoutMs: number;
}

/** Aborts with the caller, or when nothing has come for too long. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Something has come. */
  feed(): void;
  stop(): void;
  /** @throws the caller's reason, or a ModelError `stalled`. */
  check(): void;
}

/**
 * The SDKs end their streams as if all were well when a signal aborts them or the server falls
 * silent; so every loop over one asks this.
 */
export function createWatchdog({
  provider,
  signal,
  idleTimeoutMs,
}: GuardedStreamOptions): Watchdog {
  const idle = new AbortController();
  const expire = (): void =>
    idle.abort(
      new ModelError(
        'stalled',
        `${provider} sent nothing for ${Math.round(idleTimeoutMs / 1_000)} seconds.`,
        {
          isRetryable: true,
        },
      ),
    );
  let timer = setTimeout(expire, idleTimeoutMs);
  return {
    signal: AbortSignal.any([signal, idle.signal]),
    feed() {
      clearTimeout(timer);
      timer = setTimeout(expire, idleTimeoutMs);
    },
    stop: () => clearTimeout(timer),
    check() {
      signal.throwIfAborted();
      idle.signal.throwIfAborted();
    },
  };
}

/** @throws ModelError `malformed` for a 200 that is no event stream, as proxies send it with an error inside. */
export async function checkEventStream(response: Response, provider: string): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (/text\/event-stream/i.test(type)) return;
  const body = (await readBeginning(response)).replace(/\s+/g, ' ').slice(0, 200);
  throw new ModelError(
    'malformed',
    `${provider} answered with ${type || 'no content type'} instead of a stream: ${body}`,
  );
}

async function readBeginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > 1_000) break;
  }
  return text;
}

/** Bounds on what one step may hold, checked while it is read. */
const MAX_STEP_CHARACTERS = 4_000_000;
const MAX_CALLS = 128;

export interface StepBounds {
  /** @throws ModelError `malformed` */
  add(characters: number): void;
  /** @throws ModelError `malformed` */
  checkCalls(count: number): void;
}

export function createStepBounds(provider: string): StepBounds {
  let total = 0;
  return {
    add(characters) {
      total += characters;
      if (total <= MAX_STEP_CHARACTERS) return;
      throw new ModelError(
        'malformed',
        `${provider} wrote more than ${MAX_STEP_CHARACTERS} characters in one step.`,
      );
    },
    checkCalls(count) {
      if (count <= MAX_CALLS) return;
      throw new ModelError(
        'malformed',
        `${provider} asked for more than ${MAX_CALLS} tool calls in one step.`,
      );
    },
  };
}

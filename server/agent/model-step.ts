import type { ReasoningDelta, TextDelta, Usage } from '../events/chat-event.ts';
import { ModelError } from '../models/model.ts';
import type {
  FinishReason,
  ModelAdapter,
  ModelRequest,
  ModelStreamPart,
  StepPart,
} from '../models/model.ts';
import { isWellFormedJson, toWellFormedJson } from '../models/well-formed.ts';

/** Takes the pieces of a message as they come; merges and stores them. */
export interface DeltaSink {
  write(delta: TextDelta | ReasoningDelta): void;
  /** Resolves when everything written so far is stored. */
  flush(): Promise<void>;
}

export interface ModelStepOptions {
  readonly adapter: ModelAdapter;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly place: {
    readonly turnId: string;
    readonly messageId: string;
    readonly stepIndex: number;
  };
  readonly deltas: DeltaSink;
  readonly maxRetries: number;
  /** Milliseconds to wait before attempt `attempt` (from 1); null for no further attempt. */
  retryDelay(error: ModelError, attempt: number): number | null;
  /** Resolves after `delayMs`, or at once when the signal aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
  onRetry(error: ModelError, attempt: number): void;
}

/** What a model made in one step. `error` and `aborted` leave what had come before. */
export interface ModelStep {
  readonly parts: readonly StepPart[];
  readonly rawItems: readonly unknown[];
  readonly usage: Usage;
  readonly finish: FinishReason | 'error' | 'aborted';
  readonly error: ModelError | null;
}

const NO_USAGE: Usage = {
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
};

/**
 * Asks the model for one step. A failure before the first piece is tried again, later ones never,
 * since the person has seen the beginning.
 */
export async function runModelStep(options: ModelStepOptions): Promise<ModelStep> {
  for (let attempt = 1; ; attempt += 1) {
    const parts: StepPart[] = [];
    try {
      return await streamOnce(options, parts);
    } catch (error) {
      if (options.signal.aborted) return cutOff(parts, 'aborted', null);
      if (!(error instanceof ModelError)) throw error;
      const delayMs =
        parts.length === 0 && attempt <= options.maxRetries
          ? options.retryDelay(error, attempt)
          : null;
      if (delayMs === null) return cutOff(parts, 'error', error);
      options.onRetry(error, attempt);
      await options.sleep(delayMs, options.signal);
      if (options.signal.aborted) return cutOff(parts, 'aborted', null);
    }
  }
}

async function streamOnce(options: ModelStepOptions, parts: StepPart[]): Promise<ModelStep> {
  for await (const part of options.adapter.stream(options.request, options.signal)) {
    if (part.type === 'finish') {
      const { rawItems, usage, reason } = part;
      return {
        parts: toWellFormedJson(parts),
        // They may be signed as they are; what cannot be sent so is not sent at all.
        rawItems: isWellFormedJson(rawItems) ? rawItems : [],
        usage,
        finish: reason,
        error: null,
      };
    }
    collect(parts, part);
    if (part.type !== 'tool-call') options.deltas.write({ ...options.place, ...part });
  }
  throw new ModelError('truncated', 'The model ended its answer without saying that it is done.');
}

function collect(parts: StepPart[], part: Exclude<ModelStreamPart, { type: 'finish' }>): void {
  if (part.type === 'tool-call') {
    parts.push(part);
    return;
  }
  const type = part.type === 'text-delta' ? 'text' : 'reasoning';
  const last = parts.at(-1);
  if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + part.text };
  else parts.push({ type, text: part.text });
}

/** A call that was not finished, or whose step was not, has never been asked for. */
const cutOff = (
  parts: readonly StepPart[],
  finish: 'error' | 'aborted',
  error: ModelError | null,
): ModelStep => ({
  parts: toWellFormedJson(parts.filter(({ type }) => type !== 'tool-call')),
  rawItems: [],
  usage: NO_USAGE,
  finish,
  error,
});

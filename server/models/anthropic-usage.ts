import type { Usage } from '../events/chat-event.ts';
import type { FinishReason } from './model.ts';

export function finishReason(reason: string | null): FinishReason {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return reason === 'refusal' ? 'content-filter' : 'stop';
}

export const NO_USAGE: Usage = {
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
};

interface LooseUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/**
 * Their input tokens leave cached ones out; ours hold them. Counts grow over a stream, and what an
 * event leaves out stays as it was before.
 */
export function readUsage(usage: LooseUsage, before: Usage): Usage {
  const cached = usage.cache_read_input_tokens ?? null;
  const read = usage.input_tokens ?? null;
  const input =
    read === null ? null : read + (cached ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    inputTokens: input ?? before.inputTokens,
    outputTokens: usage.output_tokens ?? before.outputTokens,
    cachedTokens: cached ?? before.cachedTokens,
    reasoningTokens: null,
  };
}

const sum = (left: number | null, right: number | null): number | null =>
  left === null && right === null ? null : (left ?? 0) + (right ?? 0);

/** Of a step that took several requests. */
export const addUsage = (left: Usage, right: Usage): Usage => ({
  inputTokens: sum(left.inputTokens, right.inputTokens),
  outputTokens: sum(left.outputTokens, right.outputTokens),
  cachedTokens: sum(left.cachedTokens, right.cachedTokens),
  reasoningTokens: sum(left.reasoningTokens, right.reasoningTokens),
});

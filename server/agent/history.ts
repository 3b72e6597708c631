import type { HistoryEntry } from '../models/model.ts';
import type { StoredCall, StoredStep } from './turn-store.ts';

const LOST_RESULT = JSON.stringify({
  status: 'error',
  code: 'INTERRUPTED',
  message: 'The call was interrupted; whether it had an effect is unknown.',
});

const resultOf = (call: StoredCall) => ({
  callId: call.callId,
  toolName: call.toolName,
  text: call.modelResult === null ? LOST_RESULT : JSON.stringify(call.modelResult),
  isError: call.modelResult === null || call.isError,
});

/** The entries of stored steps: each step, then the results of its calls, every call with exactly one. */
export function historyOfSteps(steps: readonly StoredStep[]): HistoryEntry[] {
  return steps.flatMap(({ parts, raw, calls }): HistoryEntry[] => {
    if (parts.length === 0) return [];
    const step: HistoryEntry = { type: 'step', parts, raw };
    return calls.length === 0
      ? [step]
      : [step, { type: 'tool-results', results: calls.map(resultOf) }];
  });
}

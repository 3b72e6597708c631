import type { EndReason } from '../events/chat-event.ts';

/** Why a turn ends, and what the person is told. */
export interface Ending {
  readonly reason: EndReason;
  readonly message: string;
}

export const completed: Ending = { reason: 'COMPLETED', message: '' };

export const cancelled: Ending = { reason: 'CANCELLED', message: 'The answer was stopped.' };

export const stepLimitReached = (limit: number): Ending => ({
  reason: 'STEP_LIMIT',
  message: `The answer was ended after ${limit} steps (TURN_STEP_LIMIT). Send a message to go on.`,
});

export const deadlineReached = (timeoutMs: number): Ending => ({
  reason: 'DEADLINE',
  message: `The answer was ended after ${Math.round(timeoutMs / 1000)} seconds (TURN_TIMEOUT_MS).`,
});

export const outputLimitReached: Ending = {
  reason: 'OUTPUT_LIMIT',
  message: 'The model reached the length limit of one answer. Send a message to go on.',
};

export const contentFiltered: Ending = {
  reason: 'CONTENT_FILTER',
  message: 'The model provider refused to go on with this answer.',
};

/** A model that says nothing at all would leave an answer that looks lost. */
export const emptyAnswer: Ending = {
  reason: 'PROVIDER_ERROR',
  message: 'The model ended its answer without a word. Ask again, or choose another model.',
};

export const repeatedCall = (toolName: string, count: number): Ending => ({
  reason: 'REPEATED_CALL',
  message: `The answer was ended because the model made the same call of ${toolName} ${count} times with the same result.`,
});

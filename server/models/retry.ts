import type { ModelError } from './model.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
const MAX_ASKED_MS = 60_000;

/**
 * How long to wait before the next attempt: what the provider asked for, else twice as long each
 * time, spread so that many turns do not come back at once.
 *
 * @param attempt - how many have failed, from 1.
 * @param random - between 0 and 1.
 * @returns null if another attempt is no use.
 */
export function retryDelayMs(
  error: ModelError,
  attempt: number,
  random: () => number,
): number | null {
  if (!error.isRetryable) return null;
  if (error.retryAfterMs !== null) {
    return error.retryAfterMs > MAX_ASKED_MS ? null : error.retryAfterMs;
  }
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return Math.round(delayMs * (0.5 + random() / 2));
}

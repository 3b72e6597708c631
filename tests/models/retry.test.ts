import { expect, test } from 'vitest';
import { ModelError } from '../../server/models/model.ts';
import { retryDelayMs } from '../../server/models/retry.ts';

const failure = (more: { isRetryable?: boolean; retryAfterMs?: number } = {}) =>
  new ModelError('overloaded', 'Busy.', { isRetryable: true, ...more });

test('waits twice as long each time, with an end', () => {
  const delays = [1, 2, 3, 4, 20].map((attempt) => retryDelayMs(failure(), attempt, () => 1));

  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 20_000]);
});

test('spreads the waits over half of their length', () => {
  expect(retryDelayMs(failure(), 3, () => 0)).toBe(1_000);
});

test('waits as long as the provider asks for', () => {
  expect(retryDelayMs(failure({ retryAfterMs: 7_000 }), 1, () => 1)).toBe(7_000);
});

test('does not wait when the provider asks for more than a minute', () => {
  expect(retryDelayMs(failure({ retryAfterMs: 60_001 }), 1, () => 1)).toBeNull();
});

test('does not wait for what will fail again', () => {
  expect(retryDelayMs(failure({ isRetryable: false }), 1, () => 1)).toBeNull();
});

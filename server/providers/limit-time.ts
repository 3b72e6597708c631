import type { Clock } from '../clock.ts';

export interface LimitedTime {
  /** Aborted with the signal it was made of, or when the time is over. */
  readonly signal: AbortSignal;
  hasRunOut(): boolean;
  /** Stops the timer. */
  release(): void;
}

export function limitTime(signal: AbortSignal, durationMs: number, clock: Clock): LimitedTime {
  const timer = new AbortController();
  const cancel = clock.after(Math.max(0, durationMs), () => timer.abort());
  return {
    signal: AbortSignal.any([signal, timer.signal]),
    hasRunOut: () => timer.signal.aborted,
    release: cancel,
  };
}

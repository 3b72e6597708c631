import type { Clock } from '../../server/clock.ts';

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves on, and runs what becomes due, in the order of its time. */
  advance(milliseconds: number): void;
  /** Timers that have not run and were not taken back. */
  readonly pendingCount: number;
}

interface Timer {
  dueAt: number;
  readonly intervalMs: number | null;
  run(): void;
}

export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  const timers = new Set<Timer>();

  const add = (timer: Timer): (() => void) => {
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const nextDue = (end: number): Timer | undefined =>
    [...timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];

  return {
    now: () => now,
    after: (delayMs, run) => add({ dueAt: now + delayMs, intervalMs: null, run }),
    every: (intervalMs, run) => add({ dueAt: now + intervalMs, intervalMs, run }),
    get pendingCount() {
      return timers.size;
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (let timer = nextDue(end); timer; timer = nextDue(end)) {
        now = timer.dueAt;
        if (timer.intervalMs === null) timers.delete(timer);
        else timer.dueAt += timer.intervalMs;
        timer.run();
      }
      now = end;
    },
  };
}

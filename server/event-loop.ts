import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from './clock.ts';

/** How late the server thread answers. */
export interface EventLoopMonitor {
  /** Milliseconds of delay, 99th percentile of the last one to two minutes. */
  p99Ms(): number;
  close(): void;
}

const WINDOW_MS = 60_000;
const RESOLUTION_MS = 10;

export function createEventLoopMonitor(clock: Clock): EventLoopMonitor {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let previous = 0;
  // The sampling timer itself takes its resolution; what is over that is delay.
  const current = (): number =>
    histogram.count === 0 ? 0 : Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS);
  const stop = clock.every(WINDOW_MS, () => {
    previous = current();
    histogram.reset();
  });
  return {
    p99Ms: () => Math.round(Math.max(previous, current()) * 10) / 10,
    close() {
      stop();
      histogram.disable();
    },
  };
}

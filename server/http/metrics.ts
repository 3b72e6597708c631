import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { PoolView } from '../services/services.ts';

/** Numbers of this process in the Prometheus format. */
export interface Metrics {
  readonly contentType: string;
  print(): Promise<string>;
}

const ABOUT: Partial<Record<keyof PoolView, string>> = {
  threads: 'Threads that run tools.',
  busy: 'Threads with a call.',
  queued: 'Calls that wait for a thread.',
  completed: 'Calls that ended since the start.',
  refused: 'Calls that were refused since the start.',
  killed: 'Threads that had to be ended since the start.',
  liveSubscriptions: 'Streams that are followed.',
  runningTurns: 'Turns that run here.',
};

/** `signalbox_live_subscriptions` for `liveSubscriptions`. */
const metricName = (key: string): string =>
  `signalbox_${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

export function createMetrics(read: () => PoolView): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const [key, help] of Object.entries(ABOUT)) {
    register.registerMetric(
      new Gauge({
        name: metricName(key),
        help,
        registers: [],
        collect() {
          this.set(read()[key as keyof PoolView]);
        },
      }),
    );
  }
  return { contentType: register.contentType, print: () => register.metrics() };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { call, startTestExecutor } from '../executor/support.ts';
import { median, print } from './bench.ts';

/** How long the server thread is held up while tools loop, exit, take all memory, and never return. */

const ROUNDS = 7;
const REACH_MS = 50;
const RESOLUTION_MS = 1;
const TROUBLE = ['looping', 'exiting', 'hungry', 'deaf'] as const;

const one = await startTestExecutor({ TOOL_THREADS: '4' });
const longest: number[] = [];
const usual: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const outcomes = await one.run(
    TROUBLE.map((name) =>
      call(`${name}-${round}`, name, name === 'looping' ? { limit_ms: 1_000 } : {}),
    ),
  );
  delay.disable();
  if (outcomes.every(({ status }) => status === 'SUCCESS')) throw new Error('No tool misbehaved.');
  longest.push(delay.max / 1e6 - RESOLUTION_MS);
  usual.push(delay.percentile(99) / 1e6 - RESOLUTION_MS);
}
await one.close();
const worst = median(longest);
print(`the server thread beside ${TROUBLE.join(', ')}, ${ROUNDS} rounds`);
print(`  99 of 100 ticks late by at most ${median(usual).toFixed(1)} ms`);
print(
  `  the latest by ${worst.toFixed(1)} ms (median of the rounds), ${Math.max(...longest).toFixed(1)} ms (worst)  ${worst <= REACH_MS ? 'reaches' : 'MISSES'} ${REACH_MS} ms`,
);

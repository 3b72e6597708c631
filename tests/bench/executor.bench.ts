import { Worker } from 'node:worker_threads';
import { call, startTestExecutor } from '../executor/support.ts';
import { percentile, print } from './bench.ts';

/** A tool call from the model's request to its result, against the bare round trip to a thread. */

const ROUNDS = 5;
const CALLS = 200;
const REACH = 2.5;

const worker = new Worker(
  `const { parentPort } = require('node:worker_threads');
   parentPort.on('message', (message) => parentPort.postMessage(message));`,
  { eval: true },
);
const input = { value: 'a short text', times: 1 };
const one = await startTestExecutor({ TOOL_THREADS: '2' });
let count = 0;

const roundTrip = (): Promise<void> =>
  new Promise((resolve) => {
    worker.once('message', () => resolve());
    worker.postMessage(input);
  });
const startOfCall = async (): Promise<number> => {
  const startedAt = performance.now();
  let begunAt = startedAt;
  const observer = {
    onQueued: () => undefined,
    onStart: () => void (begunAt = performance.now()),
    onProgress: () => undefined,
    onStopping: () => undefined,
    onEnd: () => Promise.resolve(),
  };
  await one.run([call(`bench-${++count}`, 'echo', input)], { observer });
  return begunAt - startedAt;
};

const samples = { bare: [] as number[], start: [] as number[], whole: [] as number[] };
for (let round = 0; round <= ROUNDS; round += 1) {
  for (let index = 0; index < CALLS; index += 1) {
    const before = performance.now();
    await roundTrip();
    const bare = performance.now() - before;
    const startedAt = performance.now();
    const start = await startOfCall();
    // The first round warms up.
    if (round === 0) continue;
    samples.bare.push(bare);
    samples.start.push(start);
    samples.whole.push(performance.now() - startedAt);
  }
}
const baseline = percentile(samples.bare, 50);
print(`tool call, ${ROUNDS} rounds of ${CALLS}, wall time`);
for (const [name, values] of [
  ['postMessage to a thread and back', samples.bare],
  ['request until the tool starts', samples.start],
  ['request until the result', samples.whole],
] as const) {
  const p50 = percentile(values, 50);
  const ratio = p50 / baseline;
  const verdict =
    values === samples.start ? `  ${ratio <= REACH ? 'reaches' : 'MISSES'} ${REACH} ×` : '';
  print(
    `  ${name.padEnd(34)}${(p50 * 1_000).toFixed(0).padStart(7)} µs p50${(percentile(values, 99) * 1_000).toFixed(0).padStart(8)} µs p99${ratio.toFixed(2).padStart(7)} ×${verdict}`,
  );
}

const cancels: number[] = [];
for (let index = 0; index < 30; index += 1) {
  const id = `cancel-${index}`;
  const done = one.run([call(id, 'waiting', { wait_ms: 60_000 })]);
  while (!one.told.includes(`start ${id}`)) await new Promise((resolve) => setTimeout(resolve, 1));
  const askedAt = performance.now();
  one.executor.cancel('chat-1', id);
  await done;
  cancels.push(performance.now() - askedAt);
}
print(
  `  cooperative cancel until the result  ${percentile(cancels, 50).toFixed(1)} ms p50  ${percentile(cancels, 99).toFixed(1)} ms p99  (reach: 50 ms p99)`,
);
await one.close();
await worker.terminate();

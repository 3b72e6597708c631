import { MessageChannel, Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
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
const pool = new Piscina({
  filename: new URL('bare-task.ts', import.meta.url).href,
  name: 'runBareTask',
  minThreads: 1,
  maxThreads: 1,
  atomics: 'disabled',
});
let one = await startTestExecutor({ TOOL_THREADS: '2' });
let count = 0;

const roundTrip = (): Promise<void> =>
  new Promise((resolve) => {
    worker.once('message', () => resolve());
    worker.postMessage(input);
  });
const bareTask = async (): Promise<number> => {
  const startedAt = performance.now();
  const { port1, port2 } = new MessageChannel();
  const started = new Promise<number>((resolve) =>
    port1.once('message', () => resolve(performance.now() - startedAt)),
  );
  const done = pool.run(
    { port: port2 },
    { transferList: [port2], signal: new AbortController().signal },
  ) as Promise<void>;
  const elapsedMs = await started;
  await done;
  return elapsedMs;
};
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

const samples = {
  bare: [] as number[],
  pool: [] as number[],
  start: [] as number[],
  whole: [] as number[],
};
for (let round = 0; round <= ROUNDS; round += 1) {
  for (let index = 0; index < CALLS; index += 1) {
    const before = performance.now();
    await roundTrip();
    const bare = performance.now() - before;
    const task = await bareTask();
    const startedAt = performance.now();
    const start = await startOfCall();
    // The first round warms up.
    if (round === 0) continue;
    samples.bare.push(bare);
    samples.pool.push(task);
    samples.start.push(start);
    samples.whole.push(performance.now() - startedAt);
  }
}
const baseline = percentile(samples.bare, 50);
print(`tool call, ${ROUNDS} rounds of ${CALLS}, wall time`);
for (const [name, values] of [
  ['postMessage to a thread and back', samples.bare],
  ['bare task of the pool until it starts', samples.pool],
  ['request until the tool starts', samples.start],
  ['request until the result', samples.whole],
] as const) {
  const p50 = percentile(values, 50);
  const ratio = p50 / baseline;
  const verdict =
    values === samples.start ? `  ${ratio <= REACH ? 'reaches' : 'MISSES'} ${REACH} ×` : '';
  print(
    `  ${name.padEnd(40)}${(p50 * 1_000).toFixed(0).padStart(7)} µs p50${(percentile(values, 99) * 1_000).toFixed(0).padStart(8)} µs p99${ratio.toFixed(2).padStart(7)} ×${verdict}`,
  );
}

const throughputFrom = performance.now();
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let index = 0; index < CALLS; index += 1) {
      await one.run([call(`many-${++count}`, 'echo', input)]);
    }
  }),
);
const perSecond = (8 * CALLS * 1_000) / (performance.now() - throughputFrom);
print(`  8 chats at a time on 2 threads       ${perSecond.toFixed(0)} calls/s`);

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

/** Memory of the process once as many threads have run a call, all at a time. */
async function residentWith(threads: number): Promise<number> {
  await one.run(
    Array.from({ length: threads }, () => call(`memory-${++count}`, 'waiting', { wait_ms: 500 })),
  );
  return process.memoryUsage.rss();
}
await one.close();
one = await startTestExecutor({ TOOL_THREADS: '8' });
const [few, many] = [await residentWith(1), await residentWith(8)];
print(`  memory of one more thread            ${((many - few) / 7 / 1_048_576).toFixed(1)} MiB`);
await one.close();
await pool.close();
await worker.terminate();

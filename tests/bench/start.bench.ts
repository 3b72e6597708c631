import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SERVER_FLAGS, serverEnvironment } from '../../scripts/server-process.mjs';
import { createTestPlace } from '../support/database.ts';
import { median, print } from './bench.ts';

/** How long the server takes until it is ready on data that it has had before, and how much memory it then holds. */

const ROUNDS = 5;
const REACH_MS = 2_000;
const REACH_MB = 330;
const MAIN = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
const place = await createTestPlace();
const times: number[] = [];
const memory: number[] = [];

for (let round = 0; round < ROUNDS; round += 1) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...SERVER_FLAGS, MAIN], {
    env: {
      ...{ PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'error', MODEL_DISCOVERY_URLS: 'none' },
      ...serverEnvironment(),
      ...place.environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (/ready at/.test(line)) break;
  }
  times.push(performance.now() - startedAt);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024);
  child.kill('SIGTERM');
  await once(child, 'exit');
}
const ready = median(times);
print(`start on data that is there, ${ROUNDS} rounds`);
print(
  `  ready after ${ready.toFixed(0)} ms  ${ready <= REACH_MS ? 'reaches' : 'MISSES'} ${REACH_MS} ms`,
);
const megabytes = median(memory);
print(
  `  holds ${megabytes.toFixed(0)} MB with the embedded database  ${megabytes <= REACH_MB ? 'reaches' : 'MISSES'} ${REACH_MB} MB`,
);
await place.remove();

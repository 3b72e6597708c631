// `npm run dev`: server and console, each reloading when its files change.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bootstrap } from './bootstrap.mjs';
import {
  childEnvironment,
  giveForeground,
  pinnedNode,
  projectFolder,
  runMain,
} from './processes.mjs';

const SERVER_PORT = process.env.PORT || '4000';

const parts = [
  {
    name: 'server',
    needs: 'server/main.ts',
    parameters: ['--watch', '--watch-preserve-output', 'server/main.ts'],
    env: { PORT: SERVER_PORT },
  },
  {
    name: 'console',
    needs: 'console/vite.config.ts',
    parameters: ['node_modules/vite/bin/vite.js', 'dev', '--config', 'console/vite.config.ts'],
    // Where the development server sends what is not the console's own.
    env: { API: `http://127.0.0.1:${SERVER_PORT}` },
  },
];

await runMain(async () => {
  await bootstrap();
  const children = parts
    .filter(({ needs }) => existsSync(join(projectFolder, needs)))
    .map((part) => start(part));
  const kill = (signal) => children.forEach(({ child }) => child.kill(signal));
  giveForeground({ kill });
  // One without the other is no use: the first that ends takes the other with it.
  const code = await Promise.race(children.map(({ ended }) => ended));
  kill('SIGTERM');
  await Promise.all(children.map(({ ended }) => ended));
  return code;
});

function start({ name, parameters, env }) {
  const child = spawn(pinnedNode(), parameters, {
    cwd: projectFolder,
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) =>
      process.stdout.write(`${name.padEnd(7)} | ${line}\n`),
    );
  }
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 0));
  });
  return { child, ended };
}

// `npm run check`: format, lint, types and generated files; stops at the first failure.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { printedFiles } from './printed-files.mjs';
import { projectFolder, runMain, runNodeQuietly } from './processes.mjs';
import { showStep } from './progress.mjs';

const checks = [
  {
    title: 'Checking the format',
    command: [
      ...['node_modules/prettier/bin/prettier.cjs', '--check', '.'],
      ...['--ignore-path', '.prettierignore', '--log-level', 'warn'],
      ...['--cache', '--cache-location', '.cache/prettier'],
    ],
  },
  {
    title: 'Checking the types',
    command: [
      ...['node_modules/typescript/bin/tsc', '--project', '.', '--noEmit'],
      ...['--incremental', '--tsBuildInfoFile', '.cache/tsc.tsbuildinfo'],
    ],
  },
  {
    title: 'Checking the code style',
    command: [
      ...['node_modules/eslint/bin/eslint.js', '--config', 'tests/eslint.config.js'],
      ...['--max-warnings', '0', '.'],
    ],
  },
  {
    title: 'Checking the console',
    needs: 'console/vite.config.ts',
    command: [
      ...['node_modules/svelte-check/bin/svelte-check', '--tsconfig', 'console/tsconfig.json'],
      ...['--fail-on-warnings', '--output', 'human'],
    ],
  },
  ...printedFiles.map(({ output, script }) => ({
    title: `Comparing ${output} with the code`,
    needs: script,
    command: [script, '--check'],
  })),
];

await runMain(async () => {
  await bootstrap();
  for (const { title, needs, command } of checks) {
    if (needs && !existsSync(join(projectFolder, needs))) continue;
    await showStep(title, () => runNodeQuietly(command));
  }
});

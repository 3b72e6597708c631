import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const fromProject = (path: string) => `${projectFolder}${path}`;

/** Vite would load graphql's ES module beside the CommonJS one that every package loads. */
const alias = [{ find: /^graphql$/, replacement: fromProject('node_modules/graphql/index.js') }];

const consoleProject = fromProject('console/vitest.config.ts');

export default defineConfig({
  root: projectFolder,
  resolve: { alias },
  test: {
    maxWorkers: 2,
    projects: [
      {
        root: projectFolder,
        resolve: { alias },
        test: {
          name: 'server',
          environment: 'node',
          // Tests start worker threads of their own and end some of them by force: a process each.
          pool: 'forks',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/browser/**', '**/*.svelte.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        root: projectFolder,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            // What is wrong outside the type tests is told by the type check of the whole project.
            ignoreSourceErrors: true,
            include: ['tests/types/**/*.test-d.ts'],
            tsconfig: fromProject('tsconfig.json'),
          },
        },
      },
      ...(existsSync(consoleProject) ? [consoleProject] : []),
    ],
  },
});

// Brings a checkout to where it can run: packages, generated code, built console. What is fresh is
// skipped without a word.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createFreshness } from './freshness.mjs';
import { areInstalled, installPackages, packages } from './install.mjs';
import { withLock } from './lock.mjs';
import { projectFolder, runNodeQuietly } from './processes.mjs';
import { showStep } from './progress.mjs';

const OLDEST_NODE = 20;

const prismaClient = {
  name: 'prisma-client',
  title: 'Generating the database client',
  needs: 'prisma/prisma.config.ts',
  inputs: ['prisma/schema.prisma', 'prisma/prisma.config.ts', 'package-lock.json'],
  outputs: ['prisma/generated'],
  commands: [
    ['node_modules/prisma/build/index.js', 'generate', '--config', 'prisma/prisma.config.ts'],
  ],
};

const consoleCode = {
  name: 'console-code',
  title: 'Generating the types and messages of the console',
  needs: 'console/vite.config.ts',
  inputs: [
    'schema.graphql',
    'console/tsconfig.json',
    'console/vite.config.ts',
    'console/messages',
    'console/project.inlang/settings.json',
    'console/src/routes',
    'package-lock.json',
  ],
  outputs: ['console/src/lib/paraglide', 'console/.svelte-kit'],
  commands: [
    ['node_modules/gql.tada/bin/cli.js', 'generate-output', '--tsconfig', 'console/tsconfig.json'],
    [
      ...['node_modules/@inlang/paraglide-js/bin/run.js', 'compile', '--silent'],
      ...['--project', 'console/project.inlang', '--outdir', 'console/src/lib/paraglide'],
    ],
    ['node_modules/@sveltejs/kit/svelte-kit.js', 'sync', '--config', 'console/vite.config.ts'],
  ],
};

const consoleBuild = {
  name: 'console-build',
  title: 'Building the console',
  needs: 'console/vite.config.ts',
  inputs: ['console', 'schema.graphql', 'package-lock.json'],
  ignore: [
    'console/.svelte-kit',
    'console/node_modules',
    'console/src/lib/paraglide',
    'console/project.inlang/cache',
  ],
  outputs: ['build/console/200.html'],
  commands: [['node_modules/vite/bin/vite.js', 'build', '--config', 'console/vite.config.ts']],
};

/** Everything that is generated from other files, in the order in which it must be made. */
export const generatedCode = [prismaClient, consoleCode];

const freshness = createFreshness(projectFolder, '.cache/bootstrap.json');

/**
 * Installs, generates and builds what is missing or stale.
 *
 * @param {{ console?: boolean }} [options] - `console: false` leaves the browser part as it is.
 */
export async function bootstrap(options = {}) {
  requireNode();
  const wanted = options.console === false ? [prismaClient] : [...generatedCode, consoleBuild];
  if (packagesAreFresh() && staleTargets(wanted).length === 0) return;
  await withLock(join(projectFolder, '.cache', 'bootstrap.lock'), async () => {
    if (!packagesAreFresh()) await install();
    for (const target of staleTargets(wanted)) await make(target);
  });
}

/** Makes a target, fresh or not. */
export async function make(target) {
  await showStep(target.title, () =>
    freshness.make(target, async () => {
      for (const command of target.commands) await runNodeQuietly(command);
    }),
  );
}

function packagesAreFresh() {
  return freshness.isFresh(packages);
}

async function install() {
  // Somebody may have run npm install already: what counts is what is there.
  if (!areInstalled()) await showStep('Installing packages', installPackages);
  await freshness.make(packages, async () => {});
}

function staleTargets(targets) {
  return targets.filter(
    (target) => existsSync(join(projectFolder, target.needs)) && !freshness.isFresh(target),
  );
}

function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= OLDEST_NODE) return;
  throw new Error(
    `Node ${process.versions.node} is too old to start with: Node ${OLDEST_NODE} or later is needed. ` +
      'Everything else then runs under the Node that the lockfile brings.',
  );
}

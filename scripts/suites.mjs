// Everything that `npm test` does once the checkout is up to date. Runs under the pinned Node.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, runMain, runNodeInForeground } from './processes.mjs';
import { showStep } from './progress.mjs';
import { addCounts, countPlaywright, countVitest, describeCounts, takeReport } from './tally.mjs';

/**
 * One file after another on the server: an open transaction in one database holds back the stream of
 * tool events in all others, and files have a database each.
 */
const ON_SERVER = ['--project', 'server', '--no-file-parallelism'];

/** Suites that must hold on both databases: the embedded one and a PostgreSQL server. */
const BOTH_DATABASES = ['tests/db/', 'tests/events/', 'tests/services/'];
const REPORT = join(projectFolder, '.cache', `test-report-${process.pid}.json`);

const parameters = process.argv.slice(2);
const filters = parameters.filter((parameter) => !parameter.startsWith('-'));
const options = parameters.filter((parameter) => parameter.startsWith('-'));

// The run on the embedded database must not see it.
const givenDatabase = process.env.TEST_DATABASE_URL;
delete process.env.TEST_DATABASE_URL;

const problems = [];
let total = { passed: 0, failed: 0, skipped: 0 };
let chromium;
let isStopped = false;
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
  process.on(event, () => (isStopped = true));
}

await runMain(async () => {
  for (const suite of [checks, vitest, vitestOnPostgres, browserFlows]) {
    if (!isStopped) await suite();
  }
  if (isStopped) problems.push('The tests were stopped.');
  if (total.passed + total.failed === 0) problems.push(`No test matches ${filters.join(' ')}.`);
  process.stdout.write(`\n${problems.map((problem) => `${problem}\n`).join('')}`);
  process.stdout.write(`${describeCounts(total)}\n`);
  return total.failed > 0 || total.passed === 0 || isStopped ? 1 : 0;
});

/** Who asks for some tests does not want to wait for the rest. */
async function checks() {
  if (filters.length > 0) return;
  const code = await runNodeInForeground(['scripts/check.mjs']);
  if (code !== 0) fail('npm run check failed; its output stands at the beginning.');
}

async function vitest() {
  const needed = listTests('tests').filter((path) => !path.startsWith('tests/browser/'));
  if (needed.length === 0) return;
  if (needed.some((path) => path.startsWith('tests/console/')) && !(await findBrowser())) return;
  await runVitest([...filters, ...options]);
}

async function vitestOnPostgres() {
  const files = BOTH_DATABASES.flatMap((folder) => listTests(folder));
  if (files.length === 0) return;
  if (givenDatabase) {
    return runVitest([...ON_SERVER, ...files, ...options], {
      TEST_DATABASE_URL: givenDatabase,
    });
  }
  const { startPostgres } = await import('../tests/support/postgres.ts');
  let server;
  try {
    server = await showStep('Starting a PostgreSQL server for the tests', startPostgres);
  } catch (error) {
    total = addCounts(total, { passed: 0, failed: 0, skipped: files.length });
    problems.push(`SKIPPED on PostgreSQL: ${files.join(', ')}\n${error.message}`);
    return;
  }
  try {
    await runVitest([...ON_SERVER, ...files, ...options], {
      TEST_DATABASE_URL: server.url,
    });
  } finally {
    await server.stop();
  }
}

async function browserFlows() {
  if (listTests('tests/browser').length === 0 || !(await findBrowser())) return;
  rmSync(REPORT, { force: true });
  const code = await runNodeInForeground(
    [
      ...['node_modules/playwright/cli.js', 'test', '--config', 'tests/playwright.config.ts'],
      ...['--reporter', 'list,json', ...filters],
    ],
    { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: REPORT } },
  );
  total = addCounts(total, takeReport(REPORT, countPlaywright, code));
}

async function runVitest(selection, env = {}) {
  rmSync(REPORT, { force: true });
  const code = await runNodeInForeground(
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'],
      ...['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${REPORT}`],
      ...selection,
    ],
    { env },
  );
  total = addCounts(total, takeReport(REPORT, countVitest, code));
}

/** @returns {Promise<boolean>} whether there is a Chromium now. */
function findBrowser() {
  chromium ??= (async () => {
    const { ensureChromium } = await import('../tests/support/chromium.ts');
    try {
      await showStep('Looking for Chromium', ensureChromium);
      return true;
    } catch (error) {
      fail(error.message);
      return false;
    }
  })();
  return chromium;
}

function fail(problem) {
  problems.push(problem);
  total = addCounts(total, { passed: 0, failed: 1, skipped: 0 });
}

/** @returns {string[]} the test files in a folder that the filters select. */
function listTests(folder) {
  const path = join(projectFolder, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true })
    .map((name) => `${folder.replace(/\/$/, '')}/${String(name).replaceAll('\\', '/')}`)
    .filter((name) => /\.(test|test-d)\.ts$/.test(name))
    .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)));
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright';
import { canInstallDebianPackages, installDebianPackage } from './debian.ts';

const run = promisify(execFile);

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
const VERSION_TIMEOUT_MS = 30_000;

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface ChromiumLaunchOptions {
  readonly headless: true;
  readonly args: string[];
  /** Absent where Playwright's own download is used: it knows best which of its builds to take. */
  readonly executablePath?: string;
}

/** How Playwright and Vitest's browser mode start the browser that this machine has. */
export const launchOptions: ChromiumLaunchOptions = describeLaunch();

/**
 * The browser that tests would use: `CHROMIUM_PATH`, else the system's, else Playwright's own.
 *
 * @returns its path, or null if there is none.
 */
export function findChromium(): string | null {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return named;
  if (existsSync(SYSTEM_CHROMIUM)) return SYSTEM_CHROMIUM;
  const own = chromium.executablePath();
  return existsSync(own) ? own : null;
}

/**
 * Makes sure that there is a browser that starts: finds one, else downloads Playwright's, else
 * installs Debian's package where it may.
 *
 * @throws Error that tells everything that was tried.
 */
export async function ensureChromium(): Promise<void> {
  const found = findChromium();
  const problems: string[] = [];
  if (found) {
    const problem = await findStartProblem(found);
    if (problem === null) return;
    problems.push(problem);
    if (process.env['CHROMIUM_PATH']) throw new Error(problem);
  } else {
    const problem = await downloadWithPlaywright();
    if (problem === null) return;
    problems.push(problem);
  }
  if (canInstallDebianPackages()) {
    await installDebianPackage('chromium');
    const problem = await findStartProblem(SYSTEM_CHROMIUM);
    if (problem === null) return;
    problems.push(problem);
  }
  throw new Error(
    'The browser tests need Chromium. Install it (on Debian: apt-get install chromium) or set ' +
      `CHROMIUM_PATH to its executable. What was tried:\n${problems.join('\n')}`,
  );
}

function describeLaunch(): ChromiumLaunchOptions {
  const path = findChromium();
  const isOwn = path === null || path === chromium.executablePath();
  return { headless: true, args: FLAGS, ...(isOwn ? {} : { executablePath: path }) };
}

/** A browser may be there and still lack a library of the system. */
async function findStartProblem(path: string): Promise<string | null> {
  try {
    await run(path, ['--version', '--no-sandbox'], { timeout: VERSION_TIMEOUT_MS });
    return null;
  } catch (error) {
    return `${path} does not start: ${String(error)}`;
  }
}

async function downloadWithPlaywright(): Promise<string | null> {
  const cli = fileURLToPath(new URL('../../node_modules/playwright/cli.js', import.meta.url));
  try {
    await run(process.execPath, [cli, 'install', 'chromium'], {
      timeout: DOWNLOAD_TIMEOUT_MS,
      env: { ...process.env, PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' },
    });
  } catch (error) {
    return `Playwright's download failed: ${String(error).split('\n').slice(0, 5).join('\n')}`;
  }
  return findStartProblem(chromium.executablePath());
}

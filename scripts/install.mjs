// Installs the packages from the lockfile when they are missing or other ones are there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, runQuietly } from './processes.mjs';

const LOCKFILE = 'package-lock.json';
/** What npm itself writes about the tree that it has installed. */
const INSTALLED = 'node_modules/.package-lock.json';

/** The part of freshness that is cheap: neither the lockfile nor the installed tree has changed. */
export const packages = {
  name: 'packages',
  inputs: [LOCKFILE, 'package.json', INSTALLED],
  outputs: [INSTALLED],
};

/**
 * Whether what is installed is what the lockfile says, whoever installed it.
 *
 * @param {string} [folder]
 */
export function areInstalled(folder = projectFolder) {
  if (!existsSync(join(folder, INSTALLED))) return false;
  const locked = readJson(folder, LOCKFILE).packages;
  const installed = readJson(folder, INSTALLED).packages;
  const manifest = readJson(folder, 'package.json');
  const sameWishes = ['dependencies', 'devDependencies', 'optionalDependencies'].every(
    (kind) => JSON.stringify(manifest[kind] ?? {}) === JSON.stringify(locked[''][kind] ?? {}),
  );
  if (!sameWishes) return false;
  return Object.entries(locked).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true;
    const there = installed[path];
    if (!there) return wanted.optional === true || wanted.devOptional === true;
    return there.version === wanted.version && there.integrity === wanted.integrity;
  });
}

/** Replaces node_modules by what the lockfile says, development tools included. */
export async function installPackages() {
  const parameters = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  // npm tells its scripts where it lies. Without it, it is looked for where Node looks.
  const npm = process.env.npm_execpath;
  if (npm && /npm-cli\.c?js$/.test(npm)) {
    await runQuietly([process.execPath, npm, ...parameters]);
    return;
  }
  await runQuietly(['npm', ...parameters], { shell: process.platform === 'win32' });
}

function readJson(folder, path) {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'));
}

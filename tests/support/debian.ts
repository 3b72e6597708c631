import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const INSTALL_TIMEOUT_MS = 15 * 60_000;

/** Whether this process may install packages of a Debian system: it is one, and we are root. */
export function canInstallDebianPackages(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  return (
    existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
  );
}

/**
 * Installs one package with apt-get.
 *
 * @throws Error with what apt-get printed, if it fails or takes over 15 minutes.
 */
export async function installDebianPackage(name: string): Promise<void> {
  await runAptGet(['update']);
  await runAptGet(['install', '--yes', '--no-install-recommends', name]);
}

async function runAptGet(parameters: readonly string[]): Promise<void> {
  await run('apt-get', parameters, {
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    // RUNLEVEL=1 keeps a package from starting a service: tests start what they need themselves.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
}

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Packages that bring a program, by platform and processor. */
const DENO: Readonly<Record<string, string>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
};
const MONTY: Readonly<Record<string, string>> = {
  'linux-x64': '@pydantic/monty-linux-x64-gnu',
};

export interface SandboxPrograms {
  readonly deno: string;
  /** Null where none is installed for this kind of machine. */
  readonly monty: string | null;
}

/** The programs of the settings, else the ones installed beside the server, else `deno` of the path. */
export function findSandboxPrograms(settings: {
  readonly denoPath: string | null;
  readonly montyPath: string | null;
}): SandboxPrograms {
  return {
    deno: settings.denoPath ?? findInstalled(DENO, 'deno') ?? 'deno',
    monty: settings.montyPath ?? findInstalled(MONTY, 'monty'),
  };
}

function findInstalled(packages: Readonly<Record<string, string>>, program: string): string | null {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return existsSync(join(folder, program)) ? join(folder, program) : null;
  } catch {
    // The package is optional, and not there on this machine.
    return null;
  }
}

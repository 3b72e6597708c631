import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the parts of the sandbox lie, which its processes may read while they start. */
export interface PyodideFiles {
  readonly pyodideFolder: string;
  /** A package that Pyodide imports when it starts outside of a browser. */
  readonly wsFolder: string;
  readonly runner: string;
  readonly harness: string;
  readonly snapshotBuilder: string;
  /** Tells one make of these files from another, e.g. `314.0.7-1f0c…`. */
  readonly version: string;
}

/**
 * @throws Error if Pyodide is not installed.
 */
export function findPyodideFiles(): PyodideFiles {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('pyodide/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  const files = {
    pyodideFolder: dirname(manifest),
    wsFolder: dirname(require.resolve('ws/package.json')),
    runner: inRunner('runner.mjs'),
    harness: inRunner('harness.py'),
    snapshotBuilder: inRunner('build-snapshot.mjs'),
  };
  const hash = createHash('sha256');
  for (const path of [files.runner, files.harness, files.snapshotBuilder]) {
    hash.update(readFileSync(path));
  }
  return { ...files, version: `${version}-${hash.digest('hex').slice(0, 16)}` };
}

const inRunner = (name: string): string =>
  fileURLToPath(new URL(`runner/${name}`, import.meta.url));

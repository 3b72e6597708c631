import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { openDataFolder } from '../data-folder.ts';
import { AppError } from '../errors.ts';
import { createLog } from '../log.ts';
import type { PackageLock } from '../sandbox/package-lock.ts';
import { setUpPackages, type PackageOutcome } from '../sandbox/package-setup.ts';
import { readCacheOptions } from '../sandbox/packages.ts';

export interface SetUpPythonOptions {
  /** Folder with the files of the packages; null loads them from their hosts. */
  readonly from: string | null;
  /** Gets whole lines, each when it is known. Default: standard output. */
  print?(line: string): void;
  /** Default: the locks that are installed. */
  readonly locks?: readonly PackageLock[];
}

/**
 * Loads the Python packages of code_interpreter. A running server uses them from its next call on.
 *
 * @returns the exit code: 0 when all are there, 1 when one is missing.
 * @throws AppError `BAD_INPUT` if the folder does not exist.
 */
export async function setUpPython(config: Config, options: SetUpPythonOptions): Promise<number> {
  const print = options.print ?? ((line: string) => void process.stdout.write(`${line}\n`));
  const from = options.from === null ? null : resolve(options.from);
  if (from !== null) await requireFolder(from);
  const dataFolder = await openDataFolder(config.dataDir);
  const cache = readCacheOptions(config, { dataFolder, log: createLog({ level: 'error' }) });
  const outcomes: PackageOutcome[] = [];
  // The first interrupt lets the file that is under way be removed.
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort();
  process.once('SIGINT', stop);
  try {
    await setUpPackages(options.locks === undefined ? cache : { ...cache, locks: options.locks }, {
      ...{ from, signal: interrupt.signal },
      onPackage(outcome) {
        outcomes.push(outcome);
        print(describe(outcome));
      },
    });
  } finally {
    process.removeListener('SIGINT', stop);
  }
  print(`\n${summarise(outcomes, cache.folder)}`);
  return outcomes.some(({ state }) => state === 'MISSING') ? 1 : 0;
}

async function requireFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch(() => null);
  if (stats?.isDirectory() === true) return;
  throw new AppError('BAD_INPUT', `--from is ${folder}, but there is no such folder.`);
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function describe(outcome: PackageOutcome): string {
  if (outcome.state === 'MISSING') return `MISSING  ${outcome.name}: ${outcome.reason}`;
  const { name, version, bytes } = outcome;
  const mark = outcome.state === 'LOADED' ? 'loaded ' : 'there  ';
  return `${mark}  ${name} ${version} (${megabytes(bytes)})`;
}

function summarise(outcomes: readonly PackageOutcome[], folder: string): string {
  const present = outcomes.filter((outcome) => outcome.state !== 'MISSING');
  const bytes = present.reduce((total, outcome) => total + outcome.bytes, 0);
  const size = megabytes(bytes);
  if (present.length === outcomes.length) {
    return `All ${present.length} Python packages are in ${folder} (${size}).`;
  }
  return [
    `${present.length} of ${outcomes.length} Python packages are in ${folder} (${size}).`,
    'Run this again where the network is better, or copy that folder from a machine that has them and give it with --from.',
  ].join(' ');
}

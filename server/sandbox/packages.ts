import { join } from 'node:path';
import { systemClock, type Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { downloadPackage } from './package-download.ts';
import { PackageError } from './package-error.ts';
import {
  createPackageIndex,
  normaliseName,
  readInstalledLocks,
  type PackageFile,
  type PackageHosts,
  type PackageIndex,
  type PackageLock,
} from './package-lock.ts';
import {
  createPackageStore,
  type PackageLimits,
  type PackageStore,
  type StoredPackage,
} from './package-store.ts';
import type { SandboxPackage } from './sandbox.ts';
import { createSharedLoads, type SharedLoads } from './shared-loads.ts';

/** Python packages for the sandbox: found by import, checked by hash, kept for use without a network. */
export interface PackageCache {
  /**
   * The files that a script needs, with all that those need, what is needed first. Modules of the
   * standard library and unknown ones need none: Python itself says what it does not find.
   *
   * @returns `problem`, a whole sentence, for a package that the operator has not allowed. What an
   *   allowed package needs is allowed with it.
   */
  resolve(script: {
    /** Modules, e.g. `docx` or `matplotlib.pyplot`. */
    readonly imports: readonly string[];
    /** Packages, e.g. `python-docx`. */
    readonly dependencies: readonly string[];
  }): { readonly packages: readonly PackageFile[] } | { readonly problem: string };
  /**
   * Files for the sandbox, whose hashes are right. What is missing is loaded first, with whole
   * sentences about it to `onMessage`.
   *
   * @returns `problem`, whole sentences that say what is missing and what an operator can do.
   */
  ensure(
    packages: readonly PackageFile[],
    observer: { readonly signal: AbortSignal; onMessage(text: string): void },
  ): Promise<{ readonly files: readonly SandboxPackage[] } | { readonly problem: string }>;
  status(): Promise<PackageCacheStatus>;
}

/** Over all that the operator allows and what that needs; names are sorted. */
export interface PackageCacheStatus {
  readonly present: readonly string[];
  readonly missing: readonly string[];
  /** Allowed, but there is no build for the sandbox. */
  readonly unknown: readonly string[];
  /** Size of the files that are present. */
  readonly bytes: number;
}

export interface PackageCacheOptions extends PackageHosts {
  readonly folder: string;
  /** Packages that scripts may ask for, by name. */
  readonly allowlist: readonly string[];
  readonly log: Log;
  readonly clock?: Clock;
  /** Default: those of the installed Pyodide and our own. Of two packages of one name the first counts. */
  readonly locks?: readonly PackageLock[];
  readonly limits?: PackageLimits;
}

/** The cache as the settings say; its folder lies in the data folder. */
export const readCacheOptions = (
  config: Config,
  { dataFolder, log }: { readonly dataFolder: string; readonly log: Log },
): PackageCacheOptions => ({
  folder: join(dataFolder, 'pyodide-packages'),
  pyodideBaseUrl: config.pyodideBaseUrl,
  pypiFilesBaseUrl: config.pypiFilesBaseUrl,
  allowlist: config.interpreterPackages,
  log,
});

/** What the parts of the cache share. */
export interface PackageParts {
  readonly index: PackageIndex;
  readonly store: PackageStore;
  readonly loads: SharedLoads;
}

const SETUP_COMMAND = '`npm run admin -- setup-python`';

export function openPackageParts(options: PackageCacheOptions): PackageParts {
  const { clock = systemClock } = options;
  const index = createPackageIndex(options.locks ?? readInstalledLocks(options));
  const store = createPackageStore({ ...options, clock, isKnown: index.hasFile });
  const loads = createSharedLoads((file, signal) =>
    store.keep(file, downloadPackage(file, { signal, clock })),
  );
  return { index, store, loads };
}

export function createPackageCache(options: PackageCacheOptions): PackageCache {
  const parts = openPackageParts(options);
  const { index, store } = parts;
  const allowed = new Set(options.allowlist.map(normaliseName));
  const everything = index.close(allowed);
  const admitted = new Set([...allowed, ...everything.map(({ name }) => name)]);

  return {
    resolve({ imports, dependencies }) {
      const imported = imports.flatMap((module) => {
        const name = index.findByImport(module);
        return name === null ? [] : [{ name, wish: `The module ${module} needs` }];
      });
      const wishes = [
        ...imported,
        ...dependencies.map((name) => ({ name: normaliseName(name), wish: 'The script asks for' })),
      ];
      for (const { name, wish } of wishes) {
        if (!admitted.has(name)) return { problem: describeForbidden(wish, name, allowed) };
        if (!index.has(name)) return { problem: describeUnknown(name) };
      }
      return { packages: index.close(wishes.map(({ name }) => name)) };
    },
    ensure: (packages, observer) => ensure(parts, packages, observer),
    async status() {
      const found = await findEach(store, everything);
      const namesOf = (files: readonly PackageFile[]) => files.map(({ name }) => name).sort();
      return {
        present: namesOf(everything.filter((file) => found.has(file))),
        missing: namesOf(everything.filter((file) => !found.has(file))),
        unknown: [...allowed].filter((name) => !index.has(name)).sort(),
        bytes: [...found.values()].reduce((total, { bytes }) => total + bytes, 0),
      };
    },
  };
}

async function findEach(
  store: PackageStore,
  files: readonly PackageFile[],
): Promise<ReadonlyMap<PackageFile, StoredPackage>> {
  const found = new Map<PackageFile, StoredPackage>();
  // One after another: the first time in a process each file is read to its end.
  for (const file of files) {
    const stored = await store.find(file);
    if (stored !== null) found.set(file, stored);
  }
  return found;
}

async function ensure(
  { store, loads }: PackageParts,
  packages: readonly PackageFile[],
  { signal, onMessage }: Parameters<PackageCache['ensure']>[1],
): ReturnType<PackageCache['ensure']> {
  const found = await findEach(store, packages);
  const missing = packages.filter((file) => !found.has(file));
  for (const [index, file] of missing.entries()) {
    onMessage(
      `Loading the Python package ${file.name} ${file.version} (${index + 1} of ${missing.length}).`,
    );
    try {
      await loads.load(file, signal);
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      if (error.kind === 'cancelled') return { problem: error.message };
      return { problem: describeMissing(missing.slice(index), error.message) };
    }
  }
  const loaded = await findEach(store, missing);
  const lost = missing.filter((file) => !loaded.has(file));
  if (lost.length > 0) {
    return { problem: describeMissing(lost, 'The files were changed as soon as they were there.') };
  }
  const files = packages.flatMap((file) => {
    const stored = found.get(file) ?? loaded.get(file);
    return stored === undefined ? [] : [{ fileName: file.fileName, path: stored.path }];
  });
  return { files };
}

const list = (names: Iterable<string>): string => [...names].sort().join(', ');

function describeForbidden(wish: string, name: string, allowed: ReadonlySet<string>): string {
  const rest = allowed.size === 0 ? 'allows none' : `allows ${list(allowed)}`;
  return `${wish} the package ${name}, but TOOLS_CODE_INTERPRETER_DEPS_ALLOWLIST ${rest}.`;
}

const describeUnknown = (name: string): string =>
  `TOOLS_CODE_INTERPRETER_DEPS_ALLOWLIST allows the package ${name}, but there is no build of it for the Python sandbox.`;

function describeMissing(missing: readonly PackageFile[], reason: string): string {
  const labels = list(missing.map(({ name, version }) => `${name} ${version}`));
  const [noun, verb] = missing.length === 1 ? ['package', 'is'] : ['packages', 'are'];
  return [
    `The Python ${noun} ${labels} ${verb} not on this server and could not be loaded:`,
    reason,
    `An operator can load what is missing with ${SETUP_COMMAND}.`,
  ].join(' ');
}

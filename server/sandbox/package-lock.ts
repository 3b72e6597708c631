import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** One package as a lock describes it, in the format of Pyodide's own lock. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly file_name: string;
  /** Folder of the file below the base address; without it the file lies at the address itself. */
  readonly path?: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Top-level modules that it brings. */
  readonly imports: readonly string[];
  /** Packages that it needs, spelt in any way. */
  readonly depends: readonly string[];
}

export interface PackageLock {
  readonly baseUrl: string;
  readonly packages: readonly LockedPackage[];
}

/** A package file with where it can be had and how it is recognised. */
export interface PackageFile {
  /** Normalised, e.g. `python-docx`. */
  readonly name: string;
  readonly version: string;
  readonly fileName: string;
  readonly url: string;
  readonly sha256: string;
}

/** What all locks together know. Names may be spelt in any way that Python tools accept. */
export interface PackageIndex {
  has(name: string): boolean;
  /** The package that brings a top-level module; null for the standard library and unknown modules. */
  findByImport(module: string): string | null;
  /** The named packages and all that they need, each once, what is needed first. Unknown names are left out. */
  close(names: Iterable<string>): readonly PackageFile[];
  hasFile(fileName: string): boolean;
}

export interface PackageHosts {
  readonly pyodideBaseUrl: string;
  readonly pypiFilesBaseUrl: string;
}

/** Written by hand only where Python's own standard library comes as a package. */
const STANDARD_LIBRARY_PACKAGES: ReadonlySet<string> = new Set(['pydoc-data']);

/**
 * The lock of the installed Pyodide, whose hashes belong to exactly that version, and our own for pure
 * Python packages that it does not have.
 *
 * Each hash of our own was computed from the published file and agrees with public lockfiles of others;
 * `path` is the BLAKE2b-256 of the file, by which its host stores it.
 */
export function readInstalledLocks(hosts: PackageHosts): readonly PackageLock[] {
  const require = createRequire(import.meta.url);
  const { version } = readJson(require.resolve('pyodide/package.json')) as { version: string };
  return [
    {
      baseUrl: `${hosts.pyodideBaseUrl}/v${version}/full`,
      packages: readPackages(require.resolve('pyodide/pyodide-lock.json')),
    },
    {
      baseUrl: hosts.pypiFilesBaseUrl,
      packages: readPackages(new URL('extra-packages.json', import.meta.url)),
    },
  ];
}

const readJson = (file: string | URL): unknown => JSON.parse(readFileSync(file, 'utf8'));

function readPackages(file: string | URL): readonly LockedPackage[] {
  const lock = readJson(file) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  return Object.values(lock.packages);
}

/** One spelling of a package's name: lower case, with single hyphens. */
export const normaliseName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[-_.]+/g, '-');

/**
 * @throws Error if a lock holds a file name or hash that cannot be right.
 */
export function createPackageIndex(locks: readonly PackageLock[]): PackageIndex {
  const files = new Map<string, PackageFile>();
  const needs = new Map<string, readonly string[]>();
  const bringers = new Map<string, string>();
  for (const { baseUrl, packages } of locks) {
    for (const locked of packages) {
      const file = toFile(locked, baseUrl);
      if (files.has(file.name)) continue;
      files.set(file.name, file);
      needs.set(file.name, locked.depends.map(normaliseName));
      if (STANDARD_LIBRARY_PACKAGES.has(file.name)) continue;
      for (const module of locked.imports) {
        const [top = module] = module.split('.');
        if (!bringers.has(top)) bringers.set(top, file.name);
      }
    }
  }
  const fileNames = new Set([...files.values()].map(({ fileName }) => fileName));

  function collect(name: string, into: Map<string, PackageFile | null>): void {
    const file = files.get(name);
    if (file === undefined || into.has(name)) return;
    // Its place is taken before it is filled, so that packages that need each other come to an end.
    into.set(name, null);
    for (const needed of needs.get(name) ?? []) collect(needed, into);
    into.delete(name);
    into.set(name, file);
  }

  return {
    has: (name) => files.has(normaliseName(name)),
    findByImport: (module) => bringers.get(module.split('.')[0] ?? module) ?? null,
    close(names) {
      const closure = new Map<string, PackageFile | null>();
      for (const name of names) collect(normaliseName(name), closure);
      return [...closure.values()].filter((file) => file !== null);
    },
    hasFile: (fileName) => fileNames.has(fileName),
  };
}

/** A name becomes a path on this machine and part of an address. */
const FILE_NAME = /^[\w+-][\w.+-]*\.(whl|zip)$/;
const SHA256 = /^[0-9a-f]{64}$/;

function toFile(locked: LockedPackage, baseUrl: string): PackageFile {
  const { name, version, file_name: fileName, sha256, path } = locked;
  if (!FILE_NAME.test(fileName)) {
    throw new Error(`The package lock has the file name ${JSON.stringify(fileName)} for ${name}.`);
  }
  if (!SHA256.test(sha256)) {
    throw new Error(`The package lock has ${JSON.stringify(sha256)} as the SHA-256 of ${name}.`);
  }
  const folder = path === undefined ? baseUrl : `${baseUrl}/${path}`;
  const url = `${folder}/${encodeURIComponent(fileName)}`;
  return { name: normaliseName(name), version, fileName, url, sha256 };
}

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { PackageError } from './package-error.ts';
import { normaliseName, type PackageFile } from './package-lock.ts';
import { openPackageParts, type PackageCacheOptions, type PackageParts } from './packages.ts';

/** What became of one package. */
export type PackageOutcome =
  | {
      readonly state: 'PRESENT' | 'LOADED';
      readonly name: string;
      readonly version: string;
      readonly bytes: number;
    }
  /** `reason` is a whole sentence. */
  | { readonly state: 'MISSING'; readonly name: string; readonly reason: string };

export interface PackageSetup {
  /** Folder with the files, in place of the network; null loads from their hosts. */
  readonly from: string | null;
  readonly signal: AbortSignal;
  onPackage(outcome: PackageOutcome): void;
}

/**
 * Fills the cache with all that the operator allows and what that needs. One package that fails
 * keeps no other from coming; a host that cannot be reached is not tried again.
 */
export async function setUpPackages(
  options: PackageCacheOptions,
  { from, signal, onPackage }: PackageSetup,
): Promise<void> {
  const parts = openPackageParts(options);
  const { index } = parts;
  for (const name of options.allowlist.filter((candidate) => !index.has(candidate))) {
    const reason = 'There is no build of it for the Python sandbox.';
    onPackage({ state: 'MISSING', name: normaliseName(name), reason });
  }
  const load = from === null ? createHostLoader(parts) : createFolderLoader(parts, from);
  for (const file of index.close(options.allowlist)) {
    onPackage(await setUp(parts, file, () => load(file, signal)));
  }
}

async function setUp(
  { store }: PackageParts,
  file: PackageFile,
  load: () => Promise<void>,
): Promise<PackageOutcome> {
  const { name, version } = file;
  const present = await store.find(file);
  if (present !== null) return { state: 'PRESENT', name, version, bytes: present.bytes };
  try {
    await load();
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return { state: 'MISSING', name, reason: error.message };
  }
  const loaded = await store.find(file);
  if (loaded !== null) return { state: 'LOADED', name, version, bytes: loaded.bytes };
  return { state: 'MISSING', name, reason: 'The file was changed as soon as it was there.' };
}

type Loader = (file: PackageFile, signal: AbortSignal) => Promise<void>;

function createHostLoader({ loads }: PackageParts): Loader {
  const unreachable = new Map<string, PackageError>();
  return async (file, signal) => {
    const { host } = new URL(file.url);
    const known = unreachable.get(host);
    if (known !== undefined) throw known;
    try {
      await loads.load(file, signal);
    } catch (error) {
      if (error instanceof PackageError && error.kind === 'unreachable') {
        unreachable.set(host, error);
      }
      throw error;
    }
  };
}

const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EISDIR', 'EIO']);

function createFolderLoader({ store }: PackageParts, folder: string): Loader {
  return async (file, signal) => {
    const source = createReadStream(join(folder, file.fileName), { signal });
    try {
      await store.keep(file, source);
    } catch (error) {
      if (signal.aborted) throw new PackageError('cancelled', 'The loading was cancelled.');
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!UNREADABLE.has(code)) throw error;
      const fact = code === 'ENOENT' ? 'is not in' : `cannot be read (${code}) in`;
      throw new PackageError('refused', `${file.fileName} ${fact} ${folder}.`, { cause: error });
    }
  };
}

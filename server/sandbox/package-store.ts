import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { PackageError } from './package-error.ts';
import type { PackageFile } from './package-lock.ts';

/** A folder in which every file is what the lock says. */
export interface PackageStore {
  /**
   * Where a file lies; null when it is not there. A file whose content is not what the lock says
   * counts as absent; `keep` replaces it.
   */
  find(file: PackageFile): Promise<StoredPackage | null>;
  /**
   * Keeps what a source holds, if it is the file that the lock means. Nothing of it is left otherwise.
   *
   * @throws PackageError `refused` for other content and for too much of it; an error of the source
   *   is passed on.
   */
  keep(file: PackageFile, source: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface StoredPackage {
  readonly path: string;
  readonly bytes: number;
}

export interface PackageStoreOptions {
  readonly folder: string;
  /** Whether any lock has a file of this name; others are left from another version. */
  isKnown(fileName: string): boolean;
  /** Default 120 MB for a file and 600 MB for all. */
  readonly limits?: PackageLimits;
  readonly log: Log;
  readonly clock: Clock;
}

export interface PackageLimits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of the whole folder. */
  readonly totalBytes: number;
}

const LIMITS: PackageLimits = { fileBytes: 120_000_000, totalBytes: 600_000_000 };

const PART = '.part';
/** A part of this age was left by a process that was killed. */
const PART_MAX_AGE_MS = 3_600_000;
/** File systems tell times apart by some milliseconds; a change within them could go unseen. */
const SETTLED_AFTER_MS = 1_000;

export function createPackageStore(options: PackageStoreOptions): PackageStore {
  const { folder, log, clock, limits = LIMITS } = options;
  /**
   * File name to what the system told of a file when its hash was right. The time of its last change
   * cannot be set back, so a file of which the system tells the same is the same.
   */
  const verified = new Map<string, string>();
  let tidied: Promise<void> | null = null;

  return {
    async find(file) {
      const path = join(folder, file.fileName);
      const before = await inspect(path);
      if (before === null) return null;
      const stored = { path, bytes: Number(before.size) };
      if (verified.get(file.fileName) === identify(before)) return stored;
      if (!before.isFile() || (await hashFile(path)) !== file.sha256) {
        log.warn({ path }, 'A cached Python package is not what the lock says, and is not used.');
        return null;
      }
      const after = await inspect(path);
      if (after === null) return null;
      const isSettled = clock.now() - Number(before.ctimeMs) >= SETTLED_AFTER_MS;
      if (isSettled && identify(before) === identify(after)) {
        verified.set(file.fileName, identify(after));
      }
      return stored;
    },

    async keep(file, source) {
      await mkdir(folder, { recursive: true });
      await (tidied ??= tidy(options));
      const maxBytes = Math.min(limits.fileBytes, limits.totalBytes - (await measure(folder)));
      const part = join(folder, `${file.fileName}.${randomUUID()}${PART}`);
      try {
        const sha256 = await write(part, source, { file, maxBytes });
        if (sha256 !== file.sha256) {
          throw new PackageError(
            'refused',
            `${file.fileName} has the SHA-256 ${sha256}, but the lock says ${file.sha256}.`,
          );
        }
        await rename(part, join(folder, file.fileName));
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

async function inspect(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const identify = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':');

async function hashFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    // In pieces of 64 KB: each holds up the server for a fraction of a millisecond.
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  return hash.digest('hex');
}

async function write(
  path: string,
  source: AsyncIterable<Uint8Array>,
  { file, maxBytes }: { readonly file: PackageFile; readonly maxBytes: number },
): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) {
        throw new PackageError(
          'refused',
          `${file.fileName} has more than the ${maxBytes} bytes that there is room for.`,
        );
      }
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

async function measure(folder: string): Promise<number> {
  const names = await readdir(folder);
  const stats = await Promise.all(names.map((name) => inspect(join(folder, name))));
  return stats.reduce((total, entry) => total + Number(entry?.size ?? 0), 0);
}

/** Removes files of other versions, and parts that nobody will finish. */
async function tidy({ folder, isKnown, clock }: PackageStoreOptions): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (isKnown(name)) continue;
    if (name.endsWith(PART)) {
      const stats = await inspect(path);
      const age = clock.now() - Number(stats?.mtimeMs ?? clock.now());
      if (age < PART_MAX_AGE_MS) continue;
    } else if (!/\.(whl|zip)$/.test(name)) continue;
    await rm(path, { force: true });
  }
}

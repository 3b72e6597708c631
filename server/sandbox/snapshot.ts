import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../clock.ts';
import { createId } from '../id.ts';
import { createSnapshotArguments, DENO_ENVIRONMENT } from './pyodide-command.ts';
import type { PyodideFiles } from './pyodide-files.ts';

export interface SnapshotOptions {
  /** Images are kept here, one for each version of what they are made of. */
  readonly folder: string;
  readonly denoPath: string;
  readonly files: PyodideFiles;
  readonly clock: Clock;
}

const BUILD_MS = 120_000;
/** An image is about 31 MB; anything smaller is none. */
const MIN_BYTES = 1_000_000;
const MAX_ERROR_CHARACTERS = 500;
const SUFFIX = '.snapshot';

/**
 * The image of Python's memory with the standard library imported, from which a process starts many times faster.
 * Made once, which takes some seconds; images of other versions are removed then.
 *
 * @returns the path of the image.
 * @throws Error if it cannot be made, with a whole sentence.
 */
export async function ensureSnapshot(options: SnapshotOptions): Promise<string> {
  const { folder, files } = options;
  const name = `pyodide-${files.version}${SUFFIX}`;
  const path = join(folder, name);
  if (await isImage(path)) return path;
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `${createId()}.part`);
  try {
    await buildSnapshot(draft, options);
    if (!(await isImage(draft))) throw new Error('The image of the Python sandbox came out empty.');
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  const others = (await readdir(folder)).filter((other) => other.endsWith(SUFFIX));
  for (const other of others.filter((other) => other !== name)) await rm(join(folder, other));
  return path;
}

async function isImage(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size >= MIN_BYTES;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function buildSnapshot(target: string, options: SnapshotOptions): Promise<void> {
  const { denoPath, files, clock } = options;
  const child = spawn(denoPath, createSnapshotArguments(files), {
    cwd: '/',
    env: DENO_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, MAX_ERROR_CHARACTERS);
  });
  const clear = clock.after(BUILD_MS, () => child.kill('SIGKILL'));
  try {
    const [[code, signal]] = await Promise.all([
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      pipeline(child.stdout, createWriteStream(target)),
    ]);
    if (code !== 0) throw new Error(`Deno ended with ${signal ?? code}: ${said.trim()}`);
  } catch (error) {
    child.kill('SIGKILL');
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The image of the Python sandbox could not be made: ${reason}`, {
      cause: error,
    });
  } finally {
    clear();
  }
}

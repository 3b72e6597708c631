import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { AppError } from '../errors.ts';

const KEPT = 7;

/** Names of finished backups: the time in UTC, e.g. `2026-11-30T03-00-00Z`. */
const BACKUP_NAME = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z$/;

const DRAFT = '.partial';

/** Of the moment, and made anew when the copy is started. */
const LEFT_OUT = new Set(['pg_wal', 'postmaster.pid', 'postmaster.opts', 'pg_stat_tmp']);

export interface Backup {
  /** Absolute or as the data folder was given. */
  readonly folder: string;
  readonly createdAt: Date;
  readonly bytes: number;
}

export interface Backups {
  /** @throws AppError `CONFLICT` while another one runs. */
  create(): Promise<Backup>;
  /** When the finished ones were made, the oldest first. */
  list(): Promise<readonly Date[]>;
  /** Gives up the one that runs. */
  close(): Promise<void>;
}

export interface BackupsOptions {
  readonly pool: Pool;
  /** The data folder of the embedded database. */
  readonly folder: string;
  readonly backupsFolder: string;
}

/**
 * Backups of the embedded database, made as PostgreSQL's base backups are: the files are copied
 * while the database goes on, together with the log that makes them whole when they are opened.
 */
export function createBackups(options: BackupsOptions): Backups {
  const closing = new AbortController();
  let running: Promise<Backup> | null = null;
  return {
    create() {
      if (running !== null) throw new AppError('CONFLICT', 'A backup is running already.');
      running = createBackup(options, closing.signal).finally(() => (running = null));
      return running;
    },
    list: () => listBackups(options.backupsFolder),
    async close() {
      closing.abort(new AppError('UNAVAILABLE', 'The database is being closed.'));
      await running?.catch(() => {}); // told to whoever asked for it
    },
  };
}

async function createBackup(options: BackupsOptions, signal: AbortSignal): Promise<Backup> {
  const { pool, folder, backupsFolder } = options;
  const createdAt = new Date();
  const target = join(backupsFolder, nameOf(createdAt));
  const draft = `${target}${DRAFT}`;
  await removeDrafts(backupsFolder);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const bytes = await copyDatabase({ pool, from: folder, to: draft, signal });
    await rename(draft, target);
    await removeOldBackups(backupsFolder);
    return { folder: target, createdAt, bytes };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

interface Copy {
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

async function copyDatabase({ pool, ...copy }: Copy & { readonly pool: Pool }): Promise<number> {
  await pool.query(`SELECT pg_backup_start('signalbox', true)`);
  let bytes = 0;
  let label: string | undefined;
  try {
    bytes += await copyFolder({ ...copy, leaveOut: LEFT_OUT });
  } finally {
    const { rows } = await pool.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    label = rows[0]?.labelfile;
  }
  if (label === undefined) throw new Error('pg_backup_stop answered no label.');
  // Without the label the copy would be opened as it lies there, half of it old and half new.
  await writeFile(join(copy.to, 'backup_label'), label);
  const log = 'pg_wal';
  bytes += await copyFolder({ ...copy, from: join(copy.from, log), to: join(copy.to, log) });
  return bytes;
}

/** @returns the bytes that were copied. */
async function copyFolder(
  options: Copy & { readonly leaveOut?: ReadonlySet<string> },
): Promise<number> {
  const { from, to, signal, leaveOut } = options;
  await mkdir(to, { recursive: true, mode: 0o700 });
  let bytes = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal.throwIfAborted();
    if (leaveOut?.has(entry.name)) continue;
    const source = join(from, entry.name);
    const copy = join(to, entry.name);
    bytes += entry.isDirectory()
      ? await copyFolder({ from: source, to: copy, signal })
      : await copyOne(source, copy);
  }
  return bytes;
}

async function copyOne(source: string, copy: string): Promise<number> {
  try {
    await copyFile(source, copy, constants.COPYFILE_FICLONE);
  } catch (error) {
    // The database may remove a file at any time; the log then knows why.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
  return (await stat(copy)).size;
}

const nameOf = (time: Date): string =>
  time
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');

/** What a killed process left behind: the folder belongs to this one alone. */
async function removeDrafts(backupsFolder: string): Promise<void> {
  await mkdir(backupsFolder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(backupsFolder)) {
    if (!name.endsWith(DRAFT)) continue;
    await rm(join(backupsFolder, name), { recursive: true, force: true });
  }
}

async function listBackups(backupsFolder: string): Promise<readonly Date[]> {
  await mkdir(backupsFolder, { recursive: true, mode: 0o700 });
  const names = await readdir(backupsFolder);
  return names
    .filter((name) => BACKUP_NAME.test(name))
    .sort()
    .map((name) => new Date(name.replace(BACKUP_NAME, '$1T$2:$3:$4Z')));
}

async function removeOldBackups(backupsFolder: string): Promise<void> {
  const times = await listBackups(backupsFolder);
  for (const time of times.slice(0, -KEPT)) {
    await rm(join(backupsFolder, nameOf(time)), { recursive: true, force: true });
  }
}

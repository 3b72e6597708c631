import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { DurableFileSystem } from './durable-file-system.ts';

/** Memory as one session of one household needs it; the defaults take three times as much. */
const SETTINGS = [
  'shared_buffers=8MB',
  'wal_buffers=512kB',
  'max_connections=4',
  'work_mem=2MB',
  'maintenance_work_mem=8MB',
  // What a crash leaves to be replayed at the next start.
  'max_wal_size=128MB',
  'min_wal_size=32MB',
  'log_min_messages=fatal',
  'jit=off',
];

/** Letters beyond ASCII have a lower case too: search and ordering are as on a PostgreSQL server. */
const LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

export interface EngineOptions {
  readonly folder: string;
  /** False leaves the disk's cache unflushed: for databases that are thrown away. */
  readonly isDurable: boolean;
  /** Called with the last words of an engine that cannot go on. */
  readonly onDeath: (reason: string) => void;
}

/** Whether there is a database in a folder. */
export const hasDatabase = (folder: string): boolean => existsSync(join(folder, 'PG_VERSION'));

/** Opens the database in a folder, and creates one there first if the folder is absent. */
export function openEngine({ folder, isDurable, onDeath }: EngineOptions): Promise<PGlite> {
  return PGlite.create({
    fs: isDurable ? new DurableFileSystem(folder) : new NodeFS(folder),
    startParams: startParameters(isDurable),
    initDbStartParams: LOCALE,
    // PGlite goes on after a panic as if nothing had happened; PostgreSQL must not.
    onStderr(line) {
      if (/\b(PANIC|FATAL):/.test(line)) onDeath(line.trim());
      return false;
    },
  });
}

function startParameters(isDurable: boolean): string[] {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  if (!isDurable) return [...PGlite.defaultStartParams, ...settings];
  const parameters = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  return [...parameters, '-c', 'wal_sync_method=fsync', ...settings];
}

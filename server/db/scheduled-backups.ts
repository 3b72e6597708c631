import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Database } from './client.ts';

const HOUR_OF_DAY = 3;
const LOOK_EVERY_MS = 30 * 60_000;

export interface ScheduledBackupsDependencies {
  readonly database: Pick<Database, 'backup' | 'listBackups' | 'isEmbedded'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ScheduledBackups {
  /** Starts no more; the one that runs is given up when the database closes. */
  close(): void;
}

/**
 * Backs the embedded database up every night after three o'clock of the machine's zone, and soon
 * after the start when the last night's backup is missing. One that failed is tried again after
 * half an hour. A PostgreSQL server is left to its own means.
 */
export function startScheduledBackups(
  dependencies: ScheduledBackupsDependencies,
): ScheduledBackups {
  const { database, clock, log } = dependencies;
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      const newest = (await database.listBackups()).at(-1);
      if (isClosed || (newest !== undefined && newest >= lastDueAt(clock.now()))) return;
      const { folder, bytes } = await database.backup();
      log.info({ folder, bytes }, 'The database was backed up.');
    } catch (error) {
      const isUnderWay = error instanceof AppError && error.code === 'CONFLICT';
      if (isClosed || isUnderWay) return;
      log.error({ error }, 'The database could not be backed up; it is tried again.');
    }
  }

  const stop = database.isEmbedded ? clock.every(LOOK_EVERY_MS, () => void look()) : () => {};
  return {
    close() {
      isClosed = true;
      stop();
    },
  };
}

/** The newest moment at which a backup was due. */
export function lastDueAt(now: number): Date {
  const due = new Date(now);
  due.setHours(HOUR_OF_DAY, 0, 0, 0);
  if (due.getTime() > now) due.setDate(due.getDate() - 1);
  return due;
}

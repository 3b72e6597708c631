import { DatabaseSync } from 'node:sqlite';
import { AppError, messageOf } from '../errors.ts';

/**
 * Keeps every other process and thread out for as long as this one lives. PGlite has no such lock,
 * and two that open one folder overwrite each other's data without a word.
 *
 * The lock is one that the operating system itself holds for the process (through SQLite, the
 * only way to it that Node brings along): a killed process leaves none behind.
 *
 * @param path - of the lock file; it stays empty, and stays.
 * @returns a function that gives the lock back.
 * @throws AppError `UNAVAILABLE` if somebody else holds it.
 */
export function lockFolder(path: string, folder: string): () => void {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!messageOf(error).includes('locked')) throw error;
    throw new AppError(
      'UNAVAILABLE',
      `The database folder ${folder} is in use by another process. Stop that one first, ` +
        'give this one another DATA_DIR, or set DATABASE_URL to share a PostgreSQL server.',
      { cause: error },
    );
  }
  return () => lock.close();
}

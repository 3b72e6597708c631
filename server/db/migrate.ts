import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../errors.ts';

/** One session of a database: everything runs on the same connection, in order. */
export interface SqlSession {
  query(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, as Prisma records it. */
  readonly checksum: string;
}

/** The lock that Prisma Migrate takes: its commands and this function keep each other out. */
const ADVISORY_LOCK = 72707369;

/** Prisma's own table, so that `prisma migrate` understands what was applied here. */
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/**
 * Applies the migrations of a folder that the database does not have yet, in the order of their
 * names, each in a transaction of its own. Processes that do this at once take turns.
 *
 * @returns the names of those applied now.
 * @throws AppError `UNAVAILABLE` if one fails (it then leaves nothing behind), was changed after it
 *   had been applied, or if the database has one that the folder does not.
 */
export async function migrate(session: SqlSession, folder: string): Promise<readonly string[]> {
  const migrations = await readMigrations(folder);
  await session.query(`SELECT pg_advisory_lock(${ADVISORY_LOCK})`);
  try {
    await session.query(HISTORY_TABLE);
    const applied = await readHistory(session);
    checkHistory(migrations, applied);
    const pending = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of pending) await apply(session, migration);
    return pending.map(({ name }) => name);
  } finally {
    await session.query(`SELECT pg_advisory_unlock(${ADVISORY_LOCK})`);
  }
}

async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** @returns the checksum of each applied migration by its name. */
async function readHistory(session: SqlSession): Promise<ReadonlyMap<string, string>> {
  const { rows } = await session.query(
    `SELECT migration_name, checksum, finished_at FROM "_prisma_migrations"
     WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  const unfinished = rows.find(({ finished_at }) => finished_at === null);
  if (unfinished) {
    throw new AppError(
      'UNAVAILABLE',
      `The migration ${String(unfinished['migration_name'])} was begun by other means and did not ` +
        'finish. Repair the database and tell so with "prisma migrate resolve".',
    );
  }
  return new Map(rows.map((row) => [String(row['migration_name']), String(row['checksum'])]));
}

function checkHistory(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksum] of applied) {
    if (known.get(name) === checksum) continue;
    throw new AppError(
      'UNAVAILABLE',
      known.has(name)
        ? `The migration ${name} was changed after it had been applied to this database. ` +
            'Restore its file, or start with an empty database.'
        : `The database has the migration ${name}, which this version does not know: it was used ` +
            'by a newer version. Start that one, or restore a backup from before.',
    );
  }
}

async function apply(session: SqlSession, { name, sql, checksum }: Migration): Promise<void> {
  await session.query('BEGIN');
  try {
    await session.query(sql);
    await session.query(
      `INSERT INTO "_prisma_migrations"
         (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK');
    throw new AppError('UNAVAILABLE', `The migration ${name} failed: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

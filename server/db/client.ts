import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../../prisma/generated/prisma/client.ts';
import { AppError, messageOf } from '../errors.ts';
import { createBackups, type Backup } from './backup.ts';
import { connectEmbedded, connectServer, type Connection } from './connection.ts';
import { migrate } from './migrate.ts';
import type { Notifications } from './notifications.ts';
import { rawQuery } from './raw-query.ts';
import { createTransactionGuard, guardClient } from './transaction-guard.ts';

export type * from '../../prisma/generated/prisma/client.ts';
export { Prisma };

/** What runs inside one transaction: the client without its own transactions. */
export type Transaction = Prisma.TransactionClient;

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** Of interactive transactions: how long one waits to begin, and how long it may take. */
const TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 5_000 };

export interface OpenDatabaseOptions {
  /** Address of a PostgreSQL server; null for the embedded database. */
  readonly url: string | null;
  /** The embedded database lies in its subfolder `database`, backups in `backups`. */
  readonly dataDir: string;
  readonly migrationsFolder?: string;
  /** Told in a sentence about what takes its time while the database opens. */
  readonly onProgress?: (line: string) => void;
  /** Told about connections to a server that were lost; they are made anew. */
  readonly onConnectionLost?: (error: unknown) => void;
  /** False for an embedded database that is thrown away: faster, but not safe from a power cut. */
  readonly isDurable?: boolean;
}

export interface Database extends Pick<Notifications, 'listen'> {
  /**
   * Throws when it is used inside one of its own interactive transactions: those have a client of
   * their own. A transaction may wait 10 s to begin and take 5 s.
   */
  readonly client: PrismaClient;
  readonly isEmbedded: boolean;
  /** Resolves with the reason when the embedded database has died: nothing works any more. */
  readonly failed: Promise<AppError>;
  /**
   * Runs one statement, with `$1` and so on for its parameters.
   * @returns its rows; a `timestamp` is a Date in UTC, an `int8` a bigint.
   */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  /** Tells everybody who listens on a channel, in every process. At most 7999 bytes of payload. */
  notify(channel: string, payload: string): Promise<void>;
  /**
   * Copies the embedded database into a new folder below `backups` and removes all but the newest
   * seven there. Everything else goes on meanwhile.
   * @throws AppError `BAD_INPUT` for a PostgreSQL server, `CONFLICT` while another backup runs.
   */
  backup(): Promise<Backup>;
  /** When the kept backups were made, the oldest first; none for a PostgreSQL server. */
  listBackups(): Promise<readonly Date[]>;
  /** Refuses what comes, waits for what runs, and lets go. May be called twice. */
  close(): Promise<void>;
}

/**
 * Opens the database and brings it up to date.
 *
 * @throws AppError `UNAVAILABLE` if it cannot be reached or opened, if another process has the
 *   embedded database's folder, or if a migration fails.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const connection = await connect(options);
  try {
    await bringUpToDate(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return createDatabase(connection, options);
}

async function connect(options: OpenDatabaseOptions): Promise<Connection> {
  const { url, dataDir, isDurable = true } = options;
  const { onProgress = () => {}, onConnectionLost = () => {} } = options;
  if (url === null) return connectEmbedded({ dataDir, isDurable, onProgress });
  const connection = connectServer(url, onConnectionLost);
  try {
    await connection.pool.query('SELECT 1');
  } catch (error) {
    await connection.close();
    throw new AppError(
      'UNAVAILABLE',
      `The database server ${new URL(url).host} of DATABASE_URL does not let us in: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  return connection;
}

async function bringUpToDate({ pool }: Connection, options: OpenDatabaseOptions): Promise<void> {
  const { migrationsFolder = MIGRATIONS_FOLDER, onProgress = () => {} } = options;
  const session = await pool.connect();
  try {
    const names = await migrate(
      { query: (sql, parameters) => session.query(sql, parameters as unknown[]) },
      migrationsFolder,
    );
    if (names.length > 0) onProgress(`Applied to the database: ${names.join(', ')}.`);
  } finally {
    session.release();
  }
}

function createDatabase(connection: Connection, { dataDir }: OpenDatabaseOptions): Database {
  const { pool, notifications, folder, failed } = connection;
  const guard = createTransactionGuard();
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: TRANSACTION_OPTIONS,
  });
  const backups =
    folder === null
      ? null
      : createBackups({ pool, folder, backupsFolder: join(dataDir, 'backups') });
  let closing: Promise<void> | null = null;

  async function query<Row extends object>(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<readonly Row[]> {
    guard.assertFree('A query');
    const { rows } = await pool.query<Row>(rawQuery(sql, parameters));
    return rows;
  }

  async function close(): Promise<void> {
    guard.close();
    await backups?.close();
    await connection.close();
    await prisma.$disconnect();
  }

  return {
    client: guardClient(prisma, guard),
    isEmbedded: folder !== null,
    failed,
    query,
    async listen(channel, onNotification, onGap) {
      guard.assertFree('LISTEN');
      return notifications.listen(channel, onNotification, onGap);
    },
    async notify(channel, payload) {
      await query('SELECT pg_notify($1, $2)', [channel, payload]);
    },
    async backup() {
      guard.assertFree('A backup');
      if (backups === null) throw serverBackupRefused();
      return backups.create();
    },
    listBackups: async () => backups?.list() ?? [],
    close: () => (closing ??= close()),
  };
}

const serverBackupRefused = (): AppError =>
  new AppError(
    'BAD_INPUT',
    'The database is a PostgreSQL server (DATABASE_URL): back it up with pg_dump or with the ' +
      "server's own means. Only the embedded database is backed up from here.",
  );

import { once } from 'node:events';
import { Pool, type PoolConfig } from 'pg';
import type { AppError } from '../errors.ts';
import { openEmbedded, type EmbeddedOptions } from './embedded.ts';
import { createListeners, type Notifications } from './notifications.ts';
import { createServerNotifications } from './server-notifications.ts';

const SERVER_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 15_000;

/** What the embedded database and a PostgreSQL server have in common. */
export interface Connection {
  readonly pool: Pool;
  readonly notifications: Notifications;
  /** The data folder of the embedded database; null for a server. */
  readonly folder: string | null;
  /** Resolves when the embedded database dies; a lost server is connected to again instead. */
  readonly failed: Promise<AppError>;
  /** Waits for what is running and queued, then lets go of the database. */
  close(): Promise<void>;
}

/** @throws AppError `UNAVAILABLE` if another process has the folder, or the database does not open. */
export async function connectEmbedded(options: EmbeddedOptions): Promise<Connection> {
  const { folder, thread, poolConfig } = await openEmbedded(options);
  const pool = createPool(poolConfig);
  const listeners = createListeners((sql) => pool.query(sql));
  pool.on('connect', (client) => client.on('notification', listeners.deliver));
  return {
    pool,
    notifications: { listen: listeners.listen, close: async () => {} },
    folder,
    failed: thread.failed,
    async close() {
      await drain(pool);
      await pool.end();
      await thread.close();
    },
  };
}

/** @param onLost - told about each connection that was lost. */
export function connectServer(url: string, onLost: (error: unknown) => void): Connection {
  const config = { connectionString: url, application_name: 'signalbox' };
  const pool = createPool({
    ...config,
    max: SERVER_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  pool.on('error', onLost);
  const notifications = createServerNotifications(config, onLost);
  return {
    pool,
    notifications,
    folder: null,
    failed: new Promise(() => {}),
    async close() {
      await notifications.close();
      await drain(pool);
      await pool.end();
    },
  };
}

function createPool(config: PoolConfig): Pool {
  return new Pool({
    ...config,
    // `now()` in a column without time zone is the session's local time, and Prisma reads it as UTC.
    onConnect: (client) => client.query("SET TIME ZONE 'UTC'"),
  } as PoolConfig);
}

/** The pool itself would drop what still waits for a connection. */
async function drain(pool: Pool): Promise<void> {
  while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount) await once(pool, 'release');
}

import { setTimeout as wait } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { systemClock } from '../clock.ts';
import { createListeners, listenStatement, type Notifications } from './notifications.ts';

const HEARTBEAT_MS = 15_000;
const ANSWER_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * Notifications of a PostgreSQL server, over a connection of their own that is made at the first
 * `listen`, watched, and made anew when it is lost.
 *
 * @param onLost - told about each failure of the connection.
 */
export function createServerNotifications(
  config: ClientConfig,
  onLost: (error: unknown) => void,
): Notifications {
  const closing = new AbortController();
  let connection: Promise<Client> | null = null;

  const listeners = createListeners(async (sql) => {
    connection ??= connect();
    const client = await connection.catch((error: unknown) => {
      connection = null;
      throw error;
    });
    await client.query(sql);
  });

  async function connect(): Promise<Client> {
    const client = new Client({
      ...config,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    client.on('error', onLost);
    client.on('notification', (notification) => listeners.deliver(notification));
    await client.connect();
    for (const channel of listeners.channels) await client.query(listenStatement(channel));
    const stopHeartbeat = systemClock.every(HEARTBEAT_MS, () => {
      client.query('SELECT 1').catch(() => client.end());
    });
    client.once('end', () => {
      stopHeartbeat();
      if (closing.signal.aborted) return;
      connection = reconnect();
      connection.catch(onLost);
    });
    return client;
  }

  async function reconnect(): Promise<Client> {
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, LAST_RETRY_MS)) {
      await wait(delayMs, undefined, { ref: false, signal: closing.signal });
      try {
        const client = await connect();
        listeners.reportGap();
        return client;
      } catch (error) {
        onLost(error);
      }
    }
  }

  return {
    listen: listeners.listen,
    async close() {
      closing.abort();
      const client = await connection?.catch(() => null);
      await client?.end();
    },
  };
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PoolConfig } from 'pg';
import { EmbeddedStream } from './embedded-stream.ts';
import { startEmbeddedThread, type EmbeddedThread } from './embedded-thread.ts';

export interface EmbeddedOptions {
  /** The database lies in its subfolder `database`. */
  readonly dataDir: string;
  /** False for a database that is thrown away: it is faster and may not survive a power cut. */
  readonly isDurable: boolean;
  readonly onProgress: (line: string) => void;
}

export interface EmbeddedDatabase {
  readonly folder: string;
  readonly thread: EmbeddedThread;
  /** How `pg` reaches the thread. */
  readonly poolConfig: PoolConfig;
}

/**
 * Starts PostgreSQL as WebAssembly (PGlite) in a thread, on a folder that it has for itself.
 *
 * @throws AppError `UNAVAILABLE` if another process has the folder, or the database does not open.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, isDurable, onProgress } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const folder = join(dataDir, 'database');
  const thread = await startEmbeddedThread({
    folder,
    lockPath: join(dataDir, 'database.lock'),
    isDurable,
    onCreating: () => onProgress('Creating the embedded database (some seconds, once).'),
  });
  return {
    folder,
    thread,
    poolConfig: {
      // Named here so that settings meant for a server (PGHOST, PGSSLMODE …) do not apply.
      host: 'embedded',
      user: 'postgres',
      password: 'postgres',
      database: 'postgres',
      ssl: false,
      // The database has one session, and it stays.
      max: 1,
      idleTimeoutMillis: 0,
      stream: () => new EmbeddedStream((messages) => thread.execute(messages)),
    },
  };
}

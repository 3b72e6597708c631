import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../server/db/client.ts';

/** Whether the tests run on a PostgreSQL server. */
export const isOnServer = process.env['TEST_DATABASE_URL'] !== undefined;

export async function createPerson(database: Database, name = 'Ada'): Promise<string> {
  const email = `${name.toLowerCase()}-${Math.random().toString(36).slice(2)}@example.org`;
  return (await database.client.user.create({ data: { name, email } })).id;
}

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));

/** Another process that opens the embedded database of a folder and writes into it. */
export interface WriterProcess {
  /** The next line that it tells; null when it has ended. */
  nextLine(): Promise<string | null>;
  /** As the kernel does it when memory runs out. Resolves when the process is gone. */
  kill(): Promise<void>;
}

export function startWriter(dataDir: string): WriterProcess {
  const child = spawn(process.execPath, [WRITER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async nextLine() {
      const { value, done } = await lines.next();
      return done === true ? null : value;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDatabase, type Database } from '../../server/db/client.ts';

/** Where a test's service or database keeps its things. */
export interface TestPlace {
  /** Settings that lead there, by name in the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly url: string | null;
  remove(): Promise<void>;
}

export interface TestDatabase {
  readonly database: Database;
  readonly dataDir: string;
  readonly url: string | null;
  close(): Promise<void>;
}

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder with an embedded database that is up to date already, or, with TEST_DATABASE_URL, an
 * empty database of that server.
 */
export async function createTestPlace(): Promise<TestPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  const server = process.env['TEST_DATABASE_URL'] ?? null;
  if (server === null) {
    await cp(await findTemplate(), dataDir, { recursive: true });
    return {
      environment: { DATA_DIR: dataDir },
      ...{ dataDir, url: null },
      remove: () => rm(dataDir, { recursive: true, force: true }),
    };
  }
  const name = `signalbox_test_${randomBytes(6).toString('hex')}`;
  await runOnServer(server, `CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    environment: { DATA_DIR: dataDir, DATABASE_URL: url },
    ...{ dataDir, url },
    async remove() {
      await runOnServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const place = await createTestPlace();
  const { dataDir, url } = place;
  const database = await openDatabase({ url, dataDir, isDurable: false });
  return {
    ...{ database, dataDir, url },
    async close() {
      await database.close();
      await place.remove();
    },
  };
}

/** Made once for each state of the migrations, and then copied: opening it anew takes seconds. */
async function findTemplate(): Promise<string> {
  const template = join(projectFolder, '.cache', `test-database-${hashMigrations()}`);
  if (existsSync(template)) return template;
  await mkdir(join(projectFolder, '.cache'), { recursive: true });
  await removeOldTemplates();
  const draft = await mkdtemp(`${template}-`);
  const database = await openDatabase({ url: null, dataDir: draft, isDurable: false });
  await database.close();
  try {
    await rename(draft, template);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(template)) throw error;
    await rm(draft, { recursive: true, force: true });
  }
  return template;
}

/** Each takes 40 MB; what is older than a day belongs to no run that still goes on. */
async function removeOldTemplates(): Promise<void> {
  const cache = join(projectFolder, '.cache');
  for (const name of await readdir(cache)) {
    if (!name.startsWith('test-database-')) continue;
    const folder = join(cache, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > 86_400_000) await rm(folder, { recursive: true, force: true });
  }
}

function hashMigrations(): string {
  const hash = createHash('sha256');
  for (const folder of ['prisma/migrations', 'server/db']) {
    for (const entry of readdirSync(join(projectFolder, folder), {
      recursive: true,
      withFileTypes: true,
    })) {
      if (entry.isFile()) hash.update(readFileSync(join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function runOnServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

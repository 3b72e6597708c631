import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../server/db/client.ts';
import { createTestPlace, type TestPlace } from '../support/database.ts';

let place: TestPlace;
let migrationsFolder: string;
let opened: Database | null;
/** Names of two migrations of the test's own, beside those of the product. */
const [FIRST, SECOND] = ['9001_first', '9002_second'] as const;

beforeEach(async () => {
  place = await createTestPlace();
  migrationsFolder = await mkdtemp(join(tmpdir(), 'signalbox-migrations-'));
  opened = null;
  // Other tables than the product's, so that the database starts empty for this folder.
  const { url, dataDir } = place;
  const database = await openDatabase({ url, dataDir, isDurable: false });
  await database.query('DROP TABLE "_prisma_migrations"');
  await database.close();
});

afterEach(async () => {
  await opened?.close();
  await place.remove();
  await rm(migrationsFolder, { recursive: true });
});

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(migrationsFolder, name), { recursive: true });
  await writeFile(join(migrationsFolder, name, 'migration.sql'), sql);
}

async function open(): Promise<{ readonly database: Database; readonly lines: string[] }> {
  const lines: string[] = [];
  const { url, dataDir } = place;
  opened = await openDatabase({
    ...{ url, dataDir, migrationsFolder, isDurable: false },
    onProgress: (line) => lines.push(line),
  });
  return { database: opened, lines };
}

async function reopen(): ReturnType<typeof open> {
  await opened?.close();
  opened = null;
  return open();
}

test('what is missing is applied at the start, in order and once', async () => {
  await write(SECOND, 'INSERT INTO steps VALUES (2)');
  await write(FIRST, 'CREATE TABLE steps (number INTEGER); INSERT INTO steps VALUES (1)');
  const { database, lines } = await open();

  expect(await database.query('SELECT number FROM steps')).toEqual([{ number: 1 }, { number: 2 }]);
  expect(lines).toEqual([`Applied to the database: ${FIRST}, ${SECOND}.`]);
  const again = await reopen();
  expect(again.lines).toEqual([]);
  expect(await again.database.query('SELECT number FROM steps')).toHaveLength(2);
});

test('one that fails leaves nothing behind, and is told with its name and the reason', async () => {
  await write(FIRST, 'CREATE TABLE steps (number INTEGER)');
  await write(SECOND, 'INSERT INTO steps VALUES (2); INSERT INTO nowhere VALUES (1)');
  await expect(open()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: `The migration ${SECOND} failed: relation "nowhere" does not exist.`,
  });

  await write(SECOND, 'INSERT INTO steps VALUES (3)');
  const { database, lines } = await open();
  expect(lines).toEqual([`Applied to the database: ${SECOND}.`]);
  expect(await database.query('SELECT number FROM steps')).toEqual([{ number: 3 }]);
});

test('a database that a newer version has used is refused, with what to do', async () => {
  await write(FIRST, 'CREATE TABLE steps (number INTEGER)');
  await write(SECOND, 'SELECT 1');
  await open();
  await rm(join(migrationsFolder, SECOND), { recursive: true });

  await expect(reopen()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message:
      `The database has the migration ${SECOND}, which this version does not know: it was used ` +
      'by a newer version. Start that one, or restore a backup from before.',
  });
});

test('a migration that was changed after it had been applied is refused', async () => {
  await write(FIRST, 'CREATE TABLE steps (number INTEGER)');
  await open();
  await write(FIRST, 'CREATE TABLE steps (number BIGINT)');

  await expect(reopen()).rejects.toThrow(`The migration ${FIRST} was changed after`);
});

import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../server/db/client.ts';
import { createTestDatabase, createTestPlace, type TestDatabase } from '../support/database.ts';
import { createPerson, isOnServer } from './support.ts';

let opened: TestDatabase;
beforeEach(async () => {
  opened = await createTestDatabase();
});
afterEach(() => opened.close());

describe.skipIf(isOnServer)('a backup of the embedded database', () => {
  test('holds what was stored before, whole, although writing went on; and opens as a database', async () => {
    const { database } = opened;
    for (let number = 0; number < 20; number += 1) await createPerson(database, `Before${number}`);
    let isDone = false;
    const writing = (async () => {
      for (let number = 0; !isDone; number += 1) await createPerson(database, `During${number}`);
    })();
    const { folder, bytes } = await database.backup();
    isDone = true;
    await writing;
    await createPerson(database, 'After');

    const place = await createTestPlace();
    await cp(folder, join(place.dataDir, 'database'), { recursive: true, force: true });
    const restored = await openDatabase({ url: null, dataDir: place.dataDir, isDurable: false });
    try {
      const names = (await restored.client.user.findMany()).map(({ name }) => name);
      const countOf = (start: string) => names.filter((name) => name.startsWith(start)).length;
      expect([countOf('Before'), countOf('After')]).toEqual([20, 0]);
      expect(new Set(names).size).toBe(names.length);
      await createPerson(restored, 'Later');
      expect(bytes).toBeGreaterThan(1_000_000);
    } finally {
      await restored.close();
      await place.remove();
    }
  });

  test('the newest seven are kept, and what a killed process left half done is removed', async () => {
    const backups = join(opened.dataDir, 'backups');
    const days = ['01', '02', '03', '04', '05', '06', '07', '08'];
    for (const day of days)
      await mkdir(join(backups, `2026-01-${day}T03-00-00Z`), { recursive: true });
    await mkdir(join(backups, '2026-01-09T03-00-00Z.partial'));
    await mkdir(join(backups, 'of-my-own'));
    const { createdAt } = await opened.database.backup();

    const listed = await opened.database.listBackups();
    expect(listed.map((time) => time.toISOString().slice(0, 10)).slice(0, 6)).toEqual(
      days.slice(2).map((day) => `2026-01-${day}`),
    );
    expect(listed.at(-1)?.getTime()).toBe(Math.floor(createdAt.getTime() / 1000) * 1000);
    const names = await readdir(backups);
    expect(names).toHaveLength(8);
    expect(names).toContain('of-my-own');
  });

  test('a second one at the same time is refused', async () => {
    const first = opened.database.backup();
    await expect(opened.database.backup()).rejects.toMatchObject({ code: 'CONFLICT' });
    await first;
  });

  test('closing gives up the one that runs, and leaves nothing half done', async () => {
    const backup = opened.database.backup();
    const refused = expect(backup).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await opened.database.close();

    await refused;
    expect(await readdir(join(opened.dataDir, 'backups'))).toEqual([]);
  });
});

test.runIf(isOnServer)('a PostgreSQL server is backed up by its own means', async () => {
  await expect(opened.database.backup()).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect(await opened.database.listBackups()).toEqual([]);
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../server/db/client.ts';
import { createTestPlace, type TestPlace } from '../support/database.ts';
import { isOnServer, startWriter } from './support.ts';

describe.skipIf(isOnServer)('the embedded database', () => {
  let place: TestPlace;
  beforeEach(async () => {
    place = await createTestPlace();
  });
  afterEach(() => place.remove());

  const open = () => openDatabase({ url: null, dataDir: place.dataDir });

  test('a second process is told that the folder is in use, and what can be done', async () => {
    const database = await open();
    try {
      const second = startWriter(place.dataDir);

      expect(await second.nextLine()).toBe(
        `The database folder ${place.dataDir}/database is in use by another process. Stop that ` +
          'one first, give this one another DATA_DIR, or set DATABASE_URL to share a PostgreSQL server.',
      );
      expect(await second.nextLine()).toBeNull();
      await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await database.client.user.count()).toBe(0);
    } finally {
      await database.close();
    }
  });

  test('the folder is free again as soon as it is closed', async () => {
    await (await open()).close();
    const again = await open();
    try {
      expect(again.isEmbedded).toBe(true);
    } finally {
      await again.close();
    }
  });

  test('what was acknowledged is there after kill -9, and the folder is free', async () => {
    const writer = startWriter(place.dataDir);
    expect(await writer.nextLine()).toBe('open');
    let acknowledged = 0;
    while (acknowledged < 60) acknowledged = Number(await writer.nextLine());
    await writer.kill();
    for (let line = await writer.nextLine(); line !== null; line = await writer.nextLine()) {
      acknowledged = Number(line);
    }

    const database = await open();
    try {
      const rows = await database.client.user.findMany({ select: { email: true } });
      const numbers = rows.map(({ email }) => parseInt(email)).sort((a, b) => a - b);
      expect(numbers.length).toBeGreaterThanOrEqual(acknowledged);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    } finally {
      await database.close();
    }
  });

  test('closing waits for what runs and refuses what comes', async () => {
    const database = await open();
    const running = database.query<{ slept: boolean }>('SELECT pg_sleep(0.1) IS NOT NULL AS slept');
    const closed = database.close();

    expect(await running).toEqual([{ slept: true }]);
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(() => database.client.user.count()).toThrow('The database is being closed.');
    await closed;
  });
});

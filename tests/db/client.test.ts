import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../server/db/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createPerson, isOnServer } from './support.ts';

let opened: TestDatabase;
let database: Database;
beforeAll(async () => {
  opened = await createTestDatabase();
  database = opened.database;
});
afterAll(() => opened.close());

describe('a raw query', () => {
  test('reads times in UTC and big integers whole, as the client does', async () => {
    const id = await createPerson(database);
    const { createdAt } = await database.client.user.findUniqueOrThrow({ where: { id } });
    const [row] = await database.query<{ createdAt: Date; big: bigint; age: number }>(
      `SELECT "createdAt", 9007199254740993::int8 AS big,
         extract(epoch FROM now() - "createdAt")::float8 AS age
       FROM "User" WHERE "id" = $1 AND "createdAt" = $2`,
      [id, createdAt],
    );

    expect(row).toMatchObject({ createdAt, big: 9_007_199_254_740_993n });
    expect(Math.abs(row!.age)).toBeLessThan(60);
  });
});

describe('inside a transaction', () => {
  test('use of the outer client fails at once, with what would be right', async () => {
    const inside = (use: () => unknown) => database.client.$transaction(async () => use());
    const message = /inside a transaction, but not of the transaction/;

    await expect(inside(() => database.client.user.count())).rejects.toThrow(message);
    await expect(inside(() => database.query('SELECT 1'))).rejects.toThrow(message);
    await expect(inside(() => database.client.$queryRaw`SELECT 1`)).rejects.toThrow(message);
    await expect(inside(() => database.client.$transaction([]))).rejects.toThrow(message);
    expect(await database.client.user.count()).toBeGreaterThanOrEqual(0);
  });

  test('a failure undoes everything', async () => {
    const before = await database.client.user.count();
    const failing = database.client.$transaction(async (transaction) => {
      await transaction.user.create({ data: { name: 'Nobody', email: 'nobody@example.org' } });
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(await database.client.user.count()).toBe(before);
  });

  test('what it left behind may use the database after it has ended', async () => {
    let later: Promise<number> | undefined;
    const gate = Promise.withResolvers<void>();
    await database.client.$transaction(async () => {
      later = gate.promise.then(() => database.client.user.count());
      await Promise.resolve();
    });
    gate.resolve();

    expect(await later).toBeGreaterThanOrEqual(0);
  });
});

describe('a notification', () => {
  test('reaches everybody who listens on its channel, until they stop', async () => {
    const [red, blue]: [string[], string[]] = [[], []];
    const stop = await database.listen('red', (payload) => red.push(payload));
    await database.listen('red', (payload) => red.push(`again ${payload}`));
    await database.listen('blue "quoted"', (payload) => blue.push(payload));
    await database.notify('red', 'one');
    await database.notify('blue "quoted"', 'two');
    await expect.poll(() => [...red, ...blue]).toEqual(['one', 'again one', 'two']);
    await stop();
    await database.notify('red', 'three');

    await expect.poll(() => red).toEqual(['one', 'again one', 'again three']);
  });

  test('comes after the commit of the transaction that sent it, or not at all', async () => {
    const heard: string[] = [];
    await database.listen('green', (payload) => heard.push(payload));
    await database.client
      .$transaction(async (transaction) => {
        await transaction.$executeRaw`SELECT pg_notify('green', 'never')`;
        throw new Error('no');
      })
      .catch(() => {});
    await database.notify('green', 'after');

    await expect.poll(() => heard).toEqual(['after']);
  });
});

describe.runIf(isOnServer)('a PostgreSQL server', () => {
  const cutAll = (from: Database) =>
    from.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'signalbox' AND datname = current_database()
         AND pid <> pg_backend_pid()`,
    );

  test('that cuts all connections is reached again, and who listens is told of the gap', async () => {
    const losses: unknown[] = [];
    const other = await openDatabase({
      ...{ url: opened.url, dataDir: '' },
      onConnectionLost: (error) => losses.push(error),
    });
    try {
      const heard: string[] = [];
      let gaps = 0;
      await other.listen(
        'cut',
        (payload) => heard.push(payload),
        () => (gaps += 1),
      );
      await Promise.all([other.client.user.count(), other.client.user.count()]);
      await cutAll(database);
      await expect.poll(() => gaps, { timeout: 5_000 }).toBe(1);
      await database.notify('cut', 'after');

      await expect.poll(() => heard).toEqual(['after']);
      expect(await other.client.user.count()).toBeGreaterThanOrEqual(0);
      expect(losses.length).toBeGreaterThan(0);
    } finally {
      await other.close();
    }
  });

  test('that refuses the password or is not there is told with its address, without the password', async () => {
    const wrong = Object.assign(new URL(opened.url!), { password: 'wrong-secret' });
    const gone = Object.assign(new URL(opened.url!), { port: '1' });
    for (const url of [wrong, gone]) {
      const error = await openDatabase({ url: url.href, dataDir: '' }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'UNAVAILABLE' });
      expect(String(error)).toContain(url.host);
      expect(String(error)).not.toContain('wrong-secret');
    }
  });

  test('takes several transactions at once: none waits for the end of another', async () => {
    const begun = [0, 1].map(() => Promise.withResolvers<void>());
    const both = [0, 1].map((index) =>
      database.client.$transaction(async (transaction) => {
        await transaction.user.count();
        begun[index]!.resolve();
        await begun[1 - index]!.promise;
        return index;
      }),
    );

    expect(await Promise.all(both)).toEqual([0, 1]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { createAccounts, type Accounts } from '../../server/services/accounts.ts';
import { createAuth, type Auth } from '../../server/services/auth.ts';
import type { Viewer } from '../../server/services/viewer.ts';
import { collide } from './collide.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let opened: TestDatabase;
let auth: Auth;
let accounts: Accounts;
let clock: ManualClock;
let ended: string[];
const PASSWORD = 'correct horse battery';
const publicUrl = () => 'http://signalbox.test';

beforeAll(async () => {
  opened = await createTestDatabase();
  clock = createManualClock(Date.now());
  const { config } = readConfig({});
  const { database } = opened;
  auth = createAuth({ database, config, clock, publicUrl, secret: 'x'.repeat(40) });
  const onCredentialEnd = (id: string): void => void ended.push(id);
  accounts = createAccounts({ database, auth, clock, publicUrl, onCredentialEnd });
});
afterAll(() => opened.close());
beforeEach(async () => {
  ended = [];
  await opened.database.client.user.deleteMany();
  await opened.database.client.invitation.deleteMany();
});

const account = (name = 'Ada') => ({
  ...{ name, password: PASSWORD, email: `${name.toLowerCase()}@example.org` },
});
const tokenOf = (url: string): string => {
  expect(url.startsWith('http://signalbox.test/welcome#token=')).toBe(true);
  return url.split('token=')[1]!;
};

async function createViewer(role: Viewer['role'], name: string): Promise<Viewer> {
  const id = await accounts.createUser(account(name), role);
  return { id, role, name, email: account(name).email, credentialId: randomUUID() };
}

async function signIn(name: string): Promise<string> {
  const cookies = await auth.signIn(account(name).email, PASSWORD);
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ');
}
const ofCookie = (cookie: string) => auth.authenticate({ cookie, authorization: undefined });
const ofKey = (key: string) =>
  auth.authenticate({ cookie: undefined, authorization: `Bearer ${key}` });
const peopleCount = () => opened.database.client.user.count();
const auditActions = async () =>
  (await opened.database.client.auditEntry.findMany({ orderBy: { createdAt: 'asc' } })).map(
    ({ action }) => action,
  );

describe('the link of the first start', () => {
  test('makes one operator, once', async () => {
    const token = tokenOf((await accounts.createFirstLink())!);
    await accounts.acceptInvitation(token, account());

    expect(await ofCookie(await signIn('Ada'))).toMatchObject({ role: 'OPERATOR', name: 'Ada' });
    await expect(accounts.acceptInvitation(token, account('Eve'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await accounts.createFirstLink()).toBeNull();
  });

  test('ends when the next start makes another', async () => {
    const old = tokenOf((await accounts.createFirstLink())!);
    const token = tokenOf((await accounts.createFirstLink())!);
    await expect(accounts.acceptInvitation(old, account())).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await accounts.acceptInvitation(token, account());
    expect(await accounts.hasOperator()).toBe(true);
  });

  test('ends when an operator is made by other means', async () => {
    const token = tokenOf((await accounts.createFirstLink())!);
    await accounts.createUser(account('Ada'), 'OPERATOR');

    await expect(accounts.acceptInvitation(token, account('Eve'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

describe('an invitation', () => {
  let operator: Viewer;
  beforeEach(async () => {
    operator = await createViewer('OPERATOR', 'Olga');
  });
  const invite = async (role: Viewer['role'] = 'USER') => {
    const made = await accounts.createInvitation(operator, { role, note: 'For Ada' });
    return { ...made, token: tokenOf(made.url) };
  };

  test('makes one account of its role, also when it is used twice at the same time', async () => {
    const { token } = await invite();
    const attempts = ['Ada', 'Bea'].map(
      (name) => () => accounts.acceptInvitation(token, account(name)),
    );
    const outcomes = await collide(opened.database, 'SELECT 1 FROM "Invitation"', attempts);

    expect([outcomes, await peopleCount()]).toEqual([['fulfilled', 'rejected'], 2]);
    const users = await opened.database.client.user.findMany({ where: { role: 'USER' } });
    expect(users).toHaveLength(1);
    expect((await accounts.invitations(operator))[0]!.usedAt).not.toBeNull();
  });

  test('ends after seven days', async () => {
    const { token } = await invite();
    clock.advance(7 * 86_400_000 + 1);
    await expect(accounts.acceptInvitation(token, account())).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test('ends when it is taken back', async () => {
    const { token, invitation } = await invite();
    await accounts.revokeInvitation(operator, invitation.id);
    await expect(accounts.acceptInvitation(token, account())).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test.each([
    ['an address that is none', { email: 'ada' }],
    ['an address that is taken', { email: 'OLGA@example.org' }],
    ['no name', { name: ' ' }],
    ['a short password', { password: 'short' }],
  ])('is not used up by %s', async (_, wrong) => {
    const { token } = await invite();
    await expect(
      accounts.acceptInvitation(token, { ...account(), ...wrong }),
    ).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await accounts.acceptInvitation(token, account());

    expect(await peopleCount()).toBe(2);
  });

  test('is not stored as it is', async () => {
    const { token } = await invite();
    const rows = await opened.database.client.invitation.findMany();
    expect(JSON.stringify(rows)).not.toContain(token.slice(8));
  });
});

describe('a session', () => {
  test('ends with a new password', async () => {
    await createViewer('USER', 'Ada');
    const cookie = await signIn('Ada');
    const viewer = (await ofCookie(cookie))!;
    await accounts.resetPassword('ada@example.org', 'another long password');

    expect(ended).toEqual([viewer.credentialId]);
    expect(await ofCookie(cookie)).toBeNull();
    expect(await auth.signIn('ada@example.org', PASSWORD)).toEqual([]);
    expect((await auth.signIn('ada@example.org', 'another long password')).length).toBeGreaterThan(
      0,
    );
  });

  test('of a made-up cookie is nobody’s', async () => {
    expect(await ofCookie('signalbox.session_token=made.up')).toBeNull();
  });
});

describe('an API key', () => {
  test('acts for its person until it is taken back', async () => {
    const ada = await createViewer('USER', 'Ada');
    const { apiKey, key } = await accounts.createApiKey(ada, { name: ' Script ', role: 'USER' });
    expect(await ofKey(key)).toMatchObject({ id: ada.id, role: 'USER', credentialId: apiKey.id });
    expect((await accounts.apiKeys(ada))[0]).toMatchObject({
      ...{ name: 'Script', prefix: key.slice(0, 10) },
      lastUsedAt: new Date(clock.now()),
    });
    await accounts.revokeApiKey(ada, apiKey.id);

    expect([await ofKey(key), await accounts.apiKeys(ada), ended]).toEqual([null, [], [apiKey.id]]);
  });

  test('is kept as a hash alone', async () => {
    const ada = await createViewer('USER', 'Ada');
    const { key } = await accounts.createApiKey(ada, { name: 'x', role: 'USER' });
    const rows = await opened.database.client.apiKey.findMany();
    expect(JSON.stringify(rows)).not.toContain(key.slice(10));
  });

  test('has the lesser of its own and its person’s role', async () => {
    const olga = await createViewer('OPERATOR', 'Olga');
    await createViewer('OPERATOR', 'Otto');
    const small = await accounts.createApiKey(olga, { name: 'small', role: 'USER' });
    const great = await accounts.createApiKey(olga, { name: 'great', role: 'OPERATOR' });
    expect((await ofKey(small.key))!.role).toBe('USER');
    expect((await ofKey(great.key))!.role).toBe('OPERATOR');
    await accounts.setRole(olga, olga.id, 'USER');

    expect((await ofKey(great.key))!.role).toBe('USER');
    expect(ended.sort()).toEqual([small.apiKey.id, great.apiKey.id].sort());
  });

  test('of an operator is not given to a user, and another’s is not taken back', async () => {
    const [ada, eve] = [await createViewer('USER', 'Ada'), await createViewer('OPERATOR', 'Eve')];
    await expect(accounts.createApiKey(ada, { name: 'x', role: 'OPERATOR' })).rejects.toMatchObject(
      { code: 'FORBIDDEN' },
    );
    const { apiKey, key } = await accounts.createApiKey(ada, { name: 'x', role: 'USER' });
    await expect(accounts.revokeApiKey(eve, apiKey.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    expect((await ofKey(key))!.id).toBe(ada.id);
    expect(await accounts.apiKeys(eve)).toEqual([]);
  });
});

describe('a role', () => {
  test('of an operator is never taken from the last one, also not by two from each other at once', async () => {
    const olga = await createViewer('OPERATOR', 'Olga');
    await expect(accounts.setRole(olga, olga.id, 'USER')).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
    const otto = await createViewer('OPERATOR', 'Otto');
    const outcomes = await collide(opened.database, 'SELECT 1 FROM "User"', [
      () => accounts.setRole(olga, otto.id, 'USER'),
      () => accounts.setRole(otto, olga.id, 'USER'),
    ]);

    expect(outcomes).toEqual(['fulfilled', 'rejected']);
    expect(await accounts.hasOperator()).toBe(true);
  });

  test('that changes ends the person’s sessions, and is noted', async () => {
    const olga = await createViewer('OPERATOR', 'Olga');
    const ada = await createViewer('USER', 'Ada');
    const cookie = await signIn('Ada');
    expect((await ofCookie(cookie))!.role).toBe('USER');
    expect(await accounts.setRole(olga, ada.id, 'OPERATOR')).toMatchObject({ role: 'OPERATOR' });

    expect(await ofCookie(cookie)).toBeNull();
    expect((await auditActions()).at(-1)).toBe('person.role');
    await expect(accounts.setRole(olga, randomUUID(), 'USER')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

test('what operators do, users may not', async () => {
  const ada = await createViewer('USER', 'Ada');
  for (const attempt of [
    async () => accounts.people(ada),
    async () => accounts.setRole(ada, ada.id, 'OPERATOR'),
    async () => accounts.invitations(ada),
    async () => accounts.createInvitation(ada, { role: 'USER', note: '' }),
    async () => accounts.revokeInvitation(ada, randomUUID()),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

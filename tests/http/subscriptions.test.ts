import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';
import { CREATE_CHAT } from '../support/documents.ts';
import { followBySse, followByWebSocket, type Followed } from './subscribe.ts';

const TITLES = `subscription Titles($chatId: ID!, $after: Int = 0) {
  chatEvents(chatId: $chatId, afterSequence: $after) {
    __typename sequence previousSequence createdAt
    ... on ChatUpdate { title activeGroups }
  }
}`;

let app: TestApp;
let ada: TestPerson;
let operator: TestPerson;

beforeAll(async () => {
  app = await startTestApp();
  ada = await app.signUp('USER', 'Ada');
  operator = await app.signUp('OPERATOR', 'Grace');
});

afterAll(() => app?.close());

async function createChat(person: TestPerson): Promise<string> {
  const { createChat: chat } = await person.query<{ createChat: { id: string } }>(CREATE_CHAT, {
    input: { requestId: randomUUID() },
  });
  return chat.id;
}

const rename = (person: TestPerson, chatId: string, title: string): Promise<unknown> =>
  person.query(
    `mutation ($chatId: ID!, $title: String!) {
    renameChat(chatId: $chatId, title: $title) { id }
  }`,
    { chatId, title },
  );

const callTool = (person: TestPerson, chatId: string, text: string): Promise<unknown> =>
  person.query(`mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }`, {
    input: { chatId, requestId: randomUUID(), text },
  });

async function signIn(person: TestPerson): Promise<string> {
  const response = await fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url, 'x-signalbox': '1' },
    body: JSON.stringify({ email: person.email, password: person.password }),
  });
  if (!response.ok) throw new Error(`Signing in answered ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

async function createKey(person: TestPerson): Promise<{ id: string; key: string }> {
  const { apiKey, key } = await app.accounts.createKeyFor(person.id, {
    name: 'another',
    role: 'USER',
  });
  return { id: apiKey.id, key };
}

const titlesOf = (lines: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  lines.map(({ title }) => title);

test('both transports give the same lines of the same chat', async () => {
  const chatId = await createChat(ada);
  const caller = { url: app.url, key: ada.key };
  await rename(ada, chatId, 'stored');
  const streams = [followByWebSocket, followBySse].map((follow) =>
    follow(caller, TITLES, { chatId }),
  );
  for (const stream of streams) await stream.count(1);
  await rename(ada, chatId, 'live “ü” 😀');
  const [byWebSocket, bySse] = await Promise.all(streams.map((stream) => stream.count(2)));

  expect(byWebSocket).toEqual(bySse);
  expect(titlesOf(bySse ?? [])).toEqual(['stored', 'live “ü” 😀']);
  for (const stream of streams) stream.stop();
});

describe.each([
  { name: 'WebSocket', follow: followByWebSocket, unauthenticated: 4403, ended: 4403 },
  { name: 'SSE', follow: followBySse, unauthenticated: 401, ended: 'UNAUTHENTICATED' },
])('over $name', ({ follow, unauthenticated, ended }) => {
  const as = (person: TestPerson) => ({ url: app.url, key: person.key });

  test('a stream goes on behind a number, without gap or repeat', async () => {
    const chatId = await createChat(ada);
    for (const title of ['a', 'b', 'c']) await rename(ada, chatId, title);
    const whole = follow(as(ada), TITLES, { chatId });
    const { sequence } = (await whole.count(3))[1] ?? {};
    whole.stop();
    const later = follow(as(ada), TITLES, { chatId, after: sequence });
    await later.count(1);
    await rename(ada, chatId, 'd');

    expect(titlesOf(await later.count(2))).toEqual(['c', 'd']);
    later.stop();
  });

  test('a chat of another person is as unknown as one that is not there', async () => {
    const chatId = await createChat(ada);
    for (const id of [chatId, randomUUID()]) {
      expect(await follow(as(operator), TITLES, { chatId: id }).end()).toBe('NOT_FOUND');
      const events = `subscription ($id: ID!) { toolEvents(chatId: $id) { cursor } }`;
      const bob = await app.signUp();
      expect(await follow(as(bob), events, { id }).end()).toBe('NOT_FOUND');
    }
  });

  test.each([
    ['a document that does not parse', 'subscription {', {}],
    ['a field that does not exist', 'subscription { chatEvents(chatId: "1") { nothing } }', {}],
    ['a variable that is missing', TITLES, {}],
    ['a query', 'query { viewer { id } }', {}],
    ['two operations and no name', `${TITLES} query Other { viewer { id } }`, { chatId: '1' }],
    ['a document of 30,000 characters', `${TITLES}${' '.repeat(30_000)}`, { chatId: '1' }],
    ['a number below 0', 'subscription { viewerEvents(after: -1) { sequence } }', {}],
  ])('%s is the mistake of the client', async (_what, document, variables) => {
    expect(await follow(as(ada), document, variables).end()).toBe('BAD_INPUT');
  });

  test('nobody, and a key that does not exist, are let in', async () => {
    const chatId = await createChat(ada);
    expect(await follow({ url: app.url }, TITLES, { chatId }).end()).toBe(unauthenticated);
    const stranger = { url: app.url, key: 'sbx_0000000000000000000000000000' };
    expect(await follow(stranger, TITLES, { chatId }).end()).toBe(unauthenticated);
  });

  test('a session counts from the own origin, and from no other', async () => {
    const cookie = await signIn(ada);
    const chatId = await createChat(ada);
    await rename(ada, chatId, 'a');
    const own = follow({ url: app.url, cookie, origin: app.url }, TITLES, { chatId });
    expect(titlesOf(await own.count(1))).toEqual(['a']);
    own.stop();

    const foreign = { url: app.url, cookie, origin: 'https://elsewhere.example' };
    const cause = await follow(foreign, TITLES, { chatId }).end();
    expect(String(cause)).toContain('403');
  });

  test('a key that is revoked ends its streams at once, and no others', async () => {
    const { id, key } = await createKey(ada);
    const chatId = await createChat(ada);
    const [revoked, other] = [
      follow({ url: app.url, key }, TITLES, { chatId }),
      follow(as(ada), TITLES, { chatId }),
    ];
    await rename(ada, chatId, 'a');
    await Promise.all([revoked.count(1), other.count(1)]);
    await ada.query('mutation ($id: ID!) { revokeApiKey(apiKeyId: $id) }', { id });

    expect(await revoked.end()).toBe(ended);
    await rename(ada, chatId, 'b');
    expect(titlesOf(await other.count(2))).toEqual(['a', 'b']);
    expect(revoked.lines).toHaveLength(1);
    other.stop();
  });

  test('a sign-out ends what the session has open', async () => {
    const cookie = await signIn(ada);
    const chatId = await createChat(ada);
    const stream = follow({ url: app.url, cookie, origin: app.url }, TITLES, { chatId });
    await rename(ada, chatId, 'a');
    await stream.count(1);
    const { status } = await fetch(`${app.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { cookie, origin: app.url, 'x-signalbox': '1' },
    });

    expect(status).toBe(200);
    expect(await stream.end()).toBe(ended);
    const own = follow(as(ada), 'subscription { viewerEvents { __typename } }');
    await own.until(({ __typename }) => __typename === 'SignOut');
    own.stop();
  });

  test('a person who gets another role has to come anew', async () => {
    const person = await app.signUp('OPERATOR');
    const stream = follow(as(person), 'subscription { viewerEvents { __typename sequence } }');
    await createChat(person);
    await stream.count(1);
    await operator.query('mutation ($id: ID!) { setRole(userId: $id, role: USER) { id } }', {
      id: person.id,
    });

    expect(await stream.end()).toBe(ended);
  });

  test('a person sees events of own tools, an operator those of everybody without their texts', async () => {
    const TOOLS = `subscription ($chatId: ID, $after: String) {
      toolEvents(chatId: $chatId, after: $after) {
      cursor userName event { __typename
        ... on ToolCallStart { toolName argumentsText }
        ... on ToolCallEnd { status result }
      } }
    }`;
    const bob = await app.signUp('USER', `Bob ${follow.name}`);
    const after = '00000000000000000000..0000000000';
    const [ofAda, ofBob] = [await createChat(ada), await createChat(bob)];
    const own = follow(as(bob), TOOLS, { after });
    const [ofChat, all] = [{ chatId: ofBob, after }, { after }].map((variables) =>
      follow(as(operator), TOOLS, variables),
    );
    await callTool(ada, ofAda, '/remember_fact I like coffee');
    await callTool(bob, ofBob, '/remember_fact I like tea');
    const isOver = (stream: Followed, name: string) =>
      stream.until(
        ({ userName, event }) =>
          userName === name && (event as { __typename: string }).__typename === 'ToolCallEnd',
      );
    await isOver(own, `Bob ${follow.name}`);
    await isOver(ofChat!, `Bob ${follow.name}`);
    await isOver(all!, 'Ada');

    expect(JSON.stringify(own.lines)).toContain('I like tea');
    expect(new Set(own.lines.map(({ userName }) => userName))).toEqual(
      new Set([`Bob ${follow.name}`]),
    );
    expect(ofChat!.lines.map(({ event }) => event)).toMatchObject([
      { __typename: 'ToolCallStart', toolName: 'remember_fact', argumentsText: null },
      ...ofChat!.lines.slice(1, -1).map(() => ({ __typename: 'ToolCallProgress' })),
      { __typename: 'ToolCallEnd', status: 'SUCCESS', result: null },
    ]);
    expect(JSON.stringify(all!.lines)).not.toContain('I like');
    for (const stream of [own, ofChat!, all!]) stream.stop();
  });

  test('what happens to the own list of chats comes without asking', async () => {
    const bob = await app.signUp();
    const stream = follow(
      as(bob),
      'subscription { viewerEvents { __typename sequence ... on ChatChange { chatId title } } }',
    );
    const chatId = await createChat(bob);
    await rename(bob, chatId, 'New');
    await bob.query('mutation ($id: ID!) { deleteChat(chatId: $id) }', { id: chatId });
    const lines = await stream.count(3);

    expect(lines.at(-2)).toMatchObject({ __typename: 'ChatChange', chatId, title: 'New' });
    expect(lines.at(-1)).toMatchObject({ __typename: 'ChatRemoval' });
    stream.stop();
  });

  test('a chat that is deleted says so and completes', async () => {
    const chatId = await createChat(ada);
    const stream = follow(as(ada), TITLES, { chatId });
    await rename(ada, chatId, 'a');
    await stream.count(1);
    await ada.query('mutation ($id: ID!) { deleteChat(chatId: $id) }', { id: chatId });

    expect(await stream.end()).toBe(null);
    expect(stream.lines.at(-1)).toMatchObject({ __typename: 'ChatDelete' });
  });
});

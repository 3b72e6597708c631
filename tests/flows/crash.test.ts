import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { openChat } from '../support/chat.ts';
import { createTestPlace, type TestPlace } from '../support/database.ts';
import { startFakeModelServer, type FakeModelServer } from '../support/fake-model-server.ts';
import { flowTools } from '../support/flow-tools.ts';
import { createGraphQLClient, type GraphQLClient } from '../support/graphql-client.ts';

const MAIN = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

let models: FakeModelServer;
let place: TestPlace;
let key: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  models = await startFakeModelServer();
  place = await createTestPlace();
  // The account is made by a service that closes again.
  const app = await startTestApp({ environment: place.environment });
  ({ key } = await app.signUp());
  await app.close();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await models?.close();
  await place?.remove();
});

/** Starts the real server process and waits until it says where it is. */
async function startServer(): Promise<{ child: ChildProcess; client: GraphQLClient }> {
  const child = spawn(process.execPath, [MAIN], {
    cwd: place.dataDir,
    env: {
      ...{ PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'error', MODEL_DISCOVERY_URLS: 'none' },
      ...place.environment,
      ...flowTools,
      ...models.environment('anthropic-messages'),
      MODELS: 'anthropic/fake-model',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /ready at (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { child, client: createGraphQLClient(url, key) };
  }
  throw new Error('The server ended before it was ready.');
}

test('after kill -9 in the middle of a call nothing acknowledged is lost, the turn is interrupted, and the next message works', async () => {
  const first = await startServer();
  models.script({
    text: ['I begin with this.'],
    calls: [
      { id: 'k1', name: 'echo', arguments: '{"value":"kept"}' },
      { id: 'k2', name: 'endless', arguments: '{}' },
    ],
  });
  const before = await openChat(first.client);
  await before.send('Do something long.');
  await before.events.until(
    ({ __typename, callId }) => __typename === 'ToolCallEnd' && callId === 'k1',
  );
  await before.events.until(
    ({ __typename, state }) => __typename === 'ToolCallProgress' && state === 'RUNNING',
  );
  const seen = [...before.events.lines];
  before.close();
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await startServer();
  const after = await openChat(second.client);
  const events = second.client.follow<(typeof seen)[number]>(
    'subscription ($id: ID!) { chatEvents(chatId: $id) { __typename sequence previousSequence } }',
    { id: before.id },
  );
  await events.until(({ __typename }) => __typename === 'TurnEnd');
  // The end of a message and of a call stands for the pieces before it.
  const told = seen.filter(
    ({ __typename }) => !['ToolCallProgress', 'TextDelta'].includes(__typename),
  );
  const stored = new Map(events.lines.map((line) => [line.sequence, line.__typename]));
  for (const line of told) expect(stored.get(line.sequence)).toBe(line.__typename);

  const { chat } = await second.client.query<{ chat: Awaited<ReturnType<typeof after.read>> }>(
    `query ($id: ID!) { chat(id: $id) {
      messages { text turn { endReason } toolCalls { callId status } } runningTurn { id } } }`,
    { id: before.id },
  );
  expect(chat.runningTurn).toBeNull();
  expect(chat.messages[1]).toMatchObject({
    text: 'I begin with this.',
    turn: { endReason: 'INTERRUPTED' },
    toolCalls: [
      { callId: 'k1', status: 'SUCCESS' },
      { callId: 'k2', status: 'INTERRUPTED' },
    ],
  });

  await second.client.query(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
    { input: { chatId: before.id, requestId: 'next', text: 'Go on.' } },
  );
  let ends = 0;
  await events.until(({ __typename }) => __typename === 'TurnEnd' && ++ends === 2);
  events.close();
  after.close();
  expect(models.violations).toEqual([]);
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
}, 60_000);

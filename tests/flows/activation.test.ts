import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';
import { openChat, type TestChat } from '../support/chat.ts';
import { startFakeModelServer, type FakeModelServer } from '../support/fake-model-server.ts';
import { startFakeProviders, type FakeProviderServer } from '../support/fake-provider-server.ts';

const GROUP = 'Scientific Research';
const ANSWER = `mutation ($id: ID!, $answer: ActivationAnswer!) {
  answerActivationRequest(requestId: $id, answer: $answer) { id status }
}`;
const ask = (id: string) => ({
  id,
  name: 'request_tool_activation',
  arguments: JSON.stringify({ group: GROUP, reason: 'You asked for an encyclopedia.' }),
});

let models: FakeModelServer;
let providers: FakeProviderServer;
let app: TestApp;
let person: TestPerson;
let chat: TestChat;

beforeAll(async () => {
  models = await startFakeModelServer();
  providers = await startFakeProviders();
  app = await startTestApp({
    environment: { ...providers.environment, ...models.environment('openai-chat') },
  });
  await app.catalogue.refresh();
  person = await app.signUp();
});

afterEach(() => {
  chat.close();
  expect(models.violations).toEqual([]);
});

afterAll(async () => {
  await app?.close();
  await models?.close();
  await providers?.close();
});

const toolNames = (request: { readonly body: Readonly<Record<string, unknown>> }): string[] =>
  (request.body['tools'] as { function: { name: string } }[]).map(({ function: { name } }) => name);

/** Lets the model ask, and answers when the question has come. */
async function askAndAnswer(answer: 'ENABLE' | 'NO' | 'IGNORE'): Promise<void> {
  chat = await openChat(person);
  models.script({ calls: [ask('q1')] });
  await chat.send('Look it up.');
  const question = await chat.events.until(
    ({ __typename }) => __typename === 'ActivationRequested',
  );
  expect(question).toMatchObject({ group: GROUP, toolNames: ['wiki_lookup'] });
  await chat.events.until(({ __typename }) => __typename === 'TurnWait');
  await person.query(ANSWER, { id: question['requestId'], answer });
}

test('an enabled group ends the waiting call, and its tools are in the next step of the same turn', async () => {
  chat = await openChat(person);
  models.script(
    { calls: [ask('q1')] },
    { calls: [{ id: 'w1', name: 'wiki_lookup', arguments: '{"query":"Mercury"}' }] },
  );
  await chat.send('Look it up.');
  const question = await chat.events.until(
    ({ __typename }) => __typename === 'ActivationRequested',
  );
  await chat.events.until(({ __typename }) => __typename === 'TurnWait');
  await person.query(ANSWER, { id: question['requestId'], answer: 'ENABLE' });

  expect(await chat.turnEnd()).toMatchObject({ endReason: 'COMPLETED' });
  const [first, second] = models.requests.slice(-3);
  expect(toolNames(first!)).not.toContain('wiki_lookup');
  expect(toolNames(second!)).toContain('wiki_lookup');
  const { toolCalls } = (await chat.read()).messages[1]!;
  expect(toolCalls.map(({ toolName, status }) => [toolName, status])).toEqual([
    ['request_tool_activation', 'SUCCESS'],
    ['wiki_lookup', 'SUCCESS'],
  ]);
});

test('a refusal is told to the model, and nothing is switched on', async () => {
  await askAndAnswer('NO');

  expect(await chat.turnEnd()).toMatchObject({ endReason: 'COMPLETED' });
  const { messages, activeGroups } = await chat.read();
  expect(activeGroups).toEqual([]);
  expect(messages[1]!.toolCalls[0]).toMatchObject({ status: 'NOOP' });
  expect(models.requests.at(-1)!.text).toContain('declined');
});

test('the first answer counts, and a later one is told what it was', async () => {
  await askAndAnswer('IGNORE');
  await chat.turnEnd();
  const request = chat.events.lines.find(({ __typename }) => __typename === 'ActivationRequested')!;
  const later = await person.query<{ answerActivationRequest: { status: string } }>(ANSWER, {
    id: request['requestId'],
    answer: 'ENABLE',
  });

  expect(later.answerActivationRequest.status).toBe('IGNORED');
  expect((await chat.read()).activeGroups).toEqual([]);
});

test('stopping the turn takes an open question back at once', async () => {
  chat = await openChat(person);
  models.script({ calls: [ask('q1')] });
  const turn = await chat.send('Look it up.');
  await chat.events.until(({ __typename }) => __typename === 'TurnWait');
  await person.query('mutation ($id: ID!) { cancelTurn(turnId: $id) { id } }', { id: turn.id });

  expect(await chat.turnEnd()).toMatchObject({ endReason: 'CANCELLED' });
  const { openActivationRequests, messages } = await chat.read();
  expect(openActivationRequests).toEqual([]);
  expect(messages[1]!.toolCalls[0]).toMatchObject({ status: 'CANCELLED' });
  expect(await chat.ask('Never mind.')).toMatchObject({ endReason: 'COMPLETED' });
});

test('switching the group on by hand answers the open question', async () => {
  chat = await openChat(person);
  models.script({ calls: [ask('q1')] });
  await chat.send('Look it up.');
  await chat.events.until(({ __typename }) => __typename === 'TurnWait');
  await person.query(
    'mutation ($c: ID!, $g: String!) { activateToolGroup(chatId: $c, group: $g) }',
    { c: chat.id, g: GROUP },
  );

  expect(await chat.turnEnd()).toMatchObject({ endReason: 'COMPLETED' });
  expect((await chat.read()).messages[1]!.toolCalls[0]).toMatchObject({ status: 'SUCCESS' });
});

import { isOnServer } from '../db/support.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../server/services/viewer.ts';
import { call } from './scripted-models.ts';
import { createChat, idle, openPlace, poll, send, type Place } from './support.ts';

let place: Place;
let ada: Viewer;
let chatId: string;
beforeAll(async () => {
  place = await openPlace();
  ada = await place.createViewer();
});
afterAll(() => place.close());
beforeEach(async () => {
  chatId = (await createChat(place, ada)).id;
});

const ask = (callId: string, group = 'Cooking') =>
  call(callId, 'request_tool_activation', { group, reason: 'To find a recipe.' });
const snapshot = () => place.chats.snapshot(ada, chatId);
const offered = (index: number) => place.models.requests.at(index)!.tools.map(({ name }) => name);
const callsOf = async () =>
  (await snapshot()).messages[1]!.toolCalls.map(({ callId, status, result }) => [
    ...[callId, status, (result as { data?: unknown } | null)?.data],
  ]);

/** Asks for groups and waits until only the person is missing. */
async function askFor(...groups: readonly string[]) {
  place.models.script({ parts: groups.map((group, index) => ask(`${chatId} ${index}`, group)) });
  const turn = await send(place, ada, { chatId });
  await idle(place);
  return { turn, open: (await snapshot()).openActivationRequests };
}

test('a question waits with its turn, and holds no process', async () => {
  const { turn, open } = await askFor('Cooking');

  expect(open).toMatchObject([
    { group: 'Cooking', reason: 'To find a recipe.', status: 'OPEN', toolNames: ['find_recipe'] },
  ]);
  expect(await place.turns.get(ada, turn.id)).toMatchObject({ status: 'WAITING' });
  expect(place.runner.runningCount()).toBe(0);
  await expect(send(place, ada, { chatId })).rejects.toMatchObject({ code: 'CONFLICT' });
  await place.turns.cancel(ada, turn.id);
});

test.each([
  ['ENABLE', 'ENABLED', 'SUCCESS', ['Cooking']],
  ['NO', 'DECLINED', 'NOOP', []],
  ['IGNORE', 'IGNORED', 'NOOP', []],
] as const)('after %s the call has its result and the turn goes on', async (...row) => {
  const [answer, status, outcome, groups] = row;
  const { open } = await askFor('Cooking');
  const record = await place.activations.answer(ada, open[0]!.id, answer);
  expect(record.status).toBe(status);
  await poll(async () => (await snapshot()).runningTurn).toBeNull();
  await idle(place);

  const chat = await snapshot();
  expect(chat.activeGroups).toEqual(groups);
  expect((await callsOf())[0]![1]).toBe(outcome);
  expect(chat.messages[1]!.turn!.endReason).toBe('COMPLETED');
  expect(offered(-1).includes('find_recipe')).toBe(answer === 'ENABLE');
});

test('the first answer counts, also of two at the same time; later ones are told it', async () => {
  const { open } = await askFor('Cooking');
  const id = open[0]!.id;
  const answers = await Promise.all([
    ...[place.activations.answer(ada, id, 'NO'), place.activations.answer(ada, id, 'ENABLE')],
  ]);
  answers.push(await place.activations.answer(ada, id, 'IGNORE'));
  await poll(async () => (await snapshot()).runningTurn).toBeNull();

  // The embedded database takes them in order; on a server either of the two may be first.
  const first = isOnServer ? answers[0]!.status : 'DECLINED';
  expect(['DECLINED', 'ENABLED']).toContain(first);
  expect(answers.map(({ status }) => status)).toEqual([first, first, first]);
  const events = await place.chatEvents(chatId);
  expect(events.filter(({ type }) => type === 'activation-response')).toHaveLength(1);
  expect((await snapshot()).activeGroups).toEqual(first === 'ENABLED' ? ['Cooking'] : []);
});

test('a second call for the same group joins the open question; both get the answer', async () => {
  const { open } = await askFor('Cooking', 'Cooking');
  expect(open).toHaveLength(1);
  expect(open[0]!.callIds).toHaveLength(2);
  await place.activations.answer(ada, open[0]!.id, 'ENABLE');
  await poll(async () => (await snapshot()).runningTurn).toBeNull();

  expect((await callsOf()).map(([, status]) => status)).toEqual(['SUCCESS', 'SUCCESS']);
});

test('the turn waits until every question is answered', async () => {
  const { turn, open } = await askFor('Cooking', 'Grocery');
  await place.activations.answer(ada, open[0]!.id, 'NO');
  await idle(place);
  await poll(async () => (await place.turns.get(ada, turn.id)).status).toBe('WAITING');
  await place.activations.answer(ada, open[1]!.id, 'NO');
  await poll(async () => (await snapshot()).runningTurn).toBeNull();

  expect((await callsOf()).map(([, status]) => status)).toEqual(['NOOP', 'NOOP']);
});

test('after No the same turn is not asked again, a later turn may ask', async () => {
  place.models.script({ parts: [ask(`${chatId} a`)] }, { parts: [ask(`${chatId} b`)] });
  await send(place, ada, { chatId });
  await idle(place);
  const first = (await snapshot()).openActivationRequests[0]!;
  await place.activations.answer(ada, first.id, 'NO');
  await poll(async () => (await snapshot()).runningTurn).toBeNull();
  expect((await callsOf()).map(([, status]) => status)).toEqual(['NOOP', 'NOOP']);

  place.models.script({ parts: [ask(`${chatId} c`)] });
  const later = await send(place, ada, { chatId });
  await idle(place);
  expect((await snapshot()).openActivationRequests).toHaveLength(1);
  await place.turns.cancel(ada, later.id);
});

test('a question whose time is over counts as ignored', async () => {
  const { open } = await askFor('Cooking');
  place.clock.advance(59_000);
  await place.activations.expire();
  expect((await snapshot()).openActivationRequests).toHaveLength(1);
  place.clock.advance(2_000);
  await place.activations.expire();
  await poll(async () => (await snapshot()).runningTurn).toBeNull();

  const record = await place.activations.answer(ada, open[0]!.id, 'ENABLE');
  expect(record.status).toBe('IGNORED');
  expect((await callsOf())[0]![1]).toBe('NOOP');
});

test('stopping the turn takes the question back', async () => {
  const { turn, open } = await askFor('Cooking');
  await place.turns.cancel(ada, turn.id);

  expect((await place.activations.answer(ada, open[0]!.id, 'ENABLE')).status).toBe('CANCELLED');
  expect(await callsOf()).toMatchObject([[expect.any(String), 'CANCELLED', undefined]]);
  expect((await snapshot()).activeGroups).toEqual([]);
});

test('any process that shares the database goes on after the answer', async () => {
  const { turn, open } = await askFor('Cooking');
  const other = await place.createOther();
  other.models.script({ parts: [{ type: 'text', text: 'Elsewhere.' }] });
  await other.activations.answer(ada, open[0]!.id, 'ENABLE');
  await poll(async () => (await place.turns.get(ada, turn.id)).status).toBe('ENDED');

  expect((await snapshot()).messages[1]!.text).toBe('Elsewhere.');
  await idle(other);
});

describe('a group', () => {
  test('that is switched on by hand answers the open question', async () => {
    const { open } = await askFor('Cooking');
    const names = await place.tools.activateGroup(ada, chatId, 'Cooking');
    await poll(async () => (await snapshot()).runningTurn).toBeNull();

    expect(names).toEqual(['echo', 'find_recipe']);
    expect((await place.activations.answer(ada, open[0]!.id, 'NO')).status).toBe('ENABLED');
  });

  test('can be switched on and off, twice without harm, and every page is told', async () => {
    for (const switching of [place.tools.activateGroup, place.tools.deactivateGroup]) {
      await switching(ada, chatId, 'Grocery');
      await switching(ada, chatId, 'Grocery');
    }

    const told = (await place.chatEvents(chatId)).map((event) =>
      event.type === 'chat-update' ? event.activeGroups : null,
    );
    expect(told).toEqual([['Grocery'], ['Grocery'], [], []]);
  });

  test('that does not exist is refused', async () => {
    for (const switching of [place.tools.activateGroup, place.tools.deactivateGroup]) {
      await expect(switching(ada, chatId, 'Gardening')).rejects.toMatchObject({
        code: 'BAD_INPUT',
      });
    }
  });
});

test('nothing of it is anybody else’s', async () => {
  const eve = await place.createViewer('OPERATOR', 'Eve');
  const { turn, open } = await askFor('Cooking');
  for (const attempt of [
    () => place.activations.answer(eve, open[0]!.id, 'ENABLE'),
    () => place.activations.answer(eve, randomUUID(), 'ENABLE'),
    () => place.tools.activateGroup(eve, chatId, 'Cooking'),
    () => place.tools.deactivateGroup(eve, chatId, 'Cooking'),
    () => place.tools.view(eve, chatId),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect((await snapshot()).openActivationRequests).toHaveLength(1);
  await place.turns.cancel(ada, turn.id);
});

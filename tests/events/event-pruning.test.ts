import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChatStream } from '../../server/events/stream.ts';
import { createReader, encodeLine, openEventPlace, title, type EventPlace } from './support.ts';

const DAY = 86_400_000;

let place: EventPlace;
let chat: ChatStream;
beforeAll(async () => {
  place = await openEventPlace();
});
afterAll(() => place?.close());
beforeEach(async () => {
  await place.database.client.event.deleteMany();
  await place.database.client.viewerEvent.deleteMany();
  chat = await place.createChat();
});

const append = (...texts: readonly string[]) => place.events.log.append(chat, texts.map(title));
const prune = (days: number) => place.events.prune(new Date(place.clock.now() - days * DAY));
const prunedThrough = async (): Promise<number> =>
  (await place.database.client.chat.findUniqueOrThrow({ where: { id: chat.id } })).prunedThrough;

async function addTurn(status: 'RUNNING' | 'WAITING' | 'ENDED'): Promise<void> {
  const { client } = place.database;
  const chatId = chat.id;
  const user = await client.message.create({ data: { chatId, role: 'USER', text: '' } });
  const assistant = await client.message.create({
    data: { chatId, role: 'ASSISTANT', text: '' },
  });
  await client.turn.create({
    data: {
      ...{ chatId, status, requestId: crypto.randomUUID(), modelId: 'direct' },
      ...{ userMessageId: user.id, assistantMessageId: assistant.id },
    },
  });
}

test('events that are too old are removed, and those after them keep their numbers', async () => {
  await append('one', 'two');
  place.clock.advance(31 * DAY);
  await append('three');

  expect(await prune(30)).toBe(2);
  expect([await place.storedNumbers(chat), await prunedThrough()]).toEqual([[3], 2]);
  expect(await prune(30)).toBe(0);
});

test('who asks for them is sent a reset, and then what is kept', async () => {
  await append('one', 'two');
  place.clock.advance(31 * DAY);
  await append('three');
  await prune(30);
  const reader = createReader();
  const stop = place.events.hub.subscribe({
    ...{ stream: chat, afterSequence: 1, encode: encodeLine, sink: reader.sink },
  });
  const lines = await reader.count(2);
  stop();

  expect(lines.map(({ event, sequence }) => [event.type, sequence])).toEqual([
    ['log-reset', 2],
    ['chat-update', 3],
  ]);
});

test.each([
  ['RUNNING', 0],
  ['WAITING', 0],
  ['ENDED', 2],
] as const)('of a chat whose turn is %s, %i of two old events go', async (status, removed) => {
  await append('one', 'two');
  await addTurn(status);
  place.clock.advance(31 * DAY);

  expect(await prune(30)).toBe(removed);
});

test('a person’s own events go by the same rule', async () => {
  const person = await place.createPerson();
  await place.events.log.append(person, [{ type: 'sign-out', credentialId: 'x' }]);
  place.clock.advance(31 * DAY);

  expect(await prune(30)).toBe(1);
  const { prunedThrough: through } = await place.database.client.user.findUniqueOrThrow({
    where: { id: person.id },
  });
  expect(through).toBe(1);
});

test('more streams than one statement takes are pruned in one go', async () => {
  const chats = await Promise.all(Array.from({ length: 45 }, () => place.createChat()));
  for (const one of chats) {
    await place.events.log.append(one, [title('x')]);
  }
  place.clock.advance(31 * DAY);

  expect(await prune(30)).toBe(45);
});

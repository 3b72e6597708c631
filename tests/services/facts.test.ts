import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Viewer } from '../../server/services/viewer.ts';
import { createChat, idle, openPlace, send, type Place } from './support.ts';

let place: Place;
let ada: Viewer;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());
beforeEach(async () => {
  ada = await place.createViewer();
});

const texts = async () => (await place.facts.list(ada)).map(({ text }) => text);

test('a fact is kept once, however often, spaced or written, also at the same time', async () => {
  const facts = await Promise.all(
    ['Likes tea', ' likes  TEA ', 'Likes\ntea'].map((text) => place.facts.remember(ada, text)),
  );

  expect(new Set(facts.map(({ id }) => id)).size).toBe(1);
  expect(await texts()).toHaveLength(1);
  expect(await place.viewerEvents(ada)).toEqual([{ type: 'facts-change' }]);
});

test('facts stand in the order in which they came, and are told to the model', async () => {
  await place.facts.remember(ada, 'Likes tea');
  await place.facts.remember(ada, 'Lives in Oslo');
  const chat = await createChat(place, ada);
  await send(place, ada, { chatId: chat.id });
  await idle(place);

  expect(await texts()).toEqual(['Likes tea', 'Lives in Oslo']);
  const { system } = place.models.requests.at(-1)!;
  expect(system.indexOf('Likes tea')).toBeGreaterThan(-1);
  expect(system.indexOf('Lives in Oslo')).toBeGreaterThan(system.indexOf('Likes tea'));
});

test('a fact that is forgotten is gone, and can be forgotten once', async () => {
  const fact = await place.facts.remember(ada, 'Likes tea');
  await place.facts.forget(ada, fact.id);

  expect(await texts()).toEqual([]);
  await expect(place.facts.forget(ada, fact.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test.each(['', '  ', 'x'.repeat(2_001)])('a fact must have 1 to 2000 characters', async (text) => {
  await expect(place.facts.remember(ada, text)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect(await texts()).toEqual([]);
});

test('more than 500 are refused, until one is forgotten', async () => {
  const rows = Array.from({ length: 500 }, (_, index) => ({ userId: ada.id, text: `${index}` }));
  await place.database.client.fact.createMany({ data: rows });
  await expect(place.facts.remember(ada, 'one more')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect((await place.facts.remember(ada, '7')).text).toBe('7');
  await place.facts.forget(ada, (await place.facts.list(ada))[0]!.id);

  expect((await place.facts.remember(ada, 'one more')).text).toBe('one more');
});

test('nothing of it is anybody else’s', async () => {
  const eve = await place.createViewer('OPERATOR', 'Eve');
  const fact = await place.facts.remember(ada, 'Likes tea');

  expect(await place.facts.list(eve)).toEqual([]);
  expect(await place.facts.find(eve.id, 'tea')).toEqual([]);
  await expect(place.facts.forget(eve, fact.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await place.facts.remember(eve, 'Likes tea')).id).not.toBe(fact.id);
  expect(await place.facts.find(ada.id, 'TEA')).toHaveLength(1);
});

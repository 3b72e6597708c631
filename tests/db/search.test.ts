import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../server/db/client.ts';
import { searchChats } from '../../server/db/search.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createPerson } from './support.ts';

let opened: TestDatabase;
let database: Database;
let ownerId: string;
beforeAll(async () => {
  opened = await createTestDatabase();
  database = opened.database;
  ownerId = await createPerson(database);
});
afterAll(() => opened.close());

let age = 0;
/** Each chat is newer than the one before. */
async function createChat(title: string, texts: readonly string[] = [], owner = ownerId) {
  age += 1;
  const updatedAt = new Date(Date.UTC(2026, 0, 1) + age * 1000);
  const data = { ownerId: owner, modelId: 'direct', title, updatedAt };
  const { id } = await database.client.chat.create({ data });
  for (const text of texts) {
    await database.client.message.create({ data: { chatId: id, role: 'USER', text } });
  }
  return id;
}

const find = async (text: string, first = 10, after: string | null = null) =>
  searchChats(database, { ownerId, text, first, after });
const idsOf = async (text: string) => (await find(text)).hits.map(({ chatId }) => chatId);

test('words are found in titles and messages, newest chat first', async () => {
  const inTitle = await createChat('The brown owl');
  const inMessage = await createChat('Birds', ['Does an owl sleep by day?', 'Nothing here']);
  await createChat('Birds', ['A sparrow']);

  expect(await idsOf('owl')).toEqual([inMessage, inTitle]);
});

test('every word must be there, the last may be unfinished, and case and accents of the writer count as typed', async () => {
  const both = await createChat('', ['Ein Übungsheft für Mathematik']);
  await createChat('', ['Ein Übungsheft']);

  expect(await idsOf('übungsheft MATHEM')).toEqual([both]);
  expect(await idsOf('übungsheft chemie')).toEqual([]);
});

test('the snippet marks what was found', async () => {
  await createChat('', ['A quite long sentence in which a platypus swims through the river.']);
  const { hits } = await find('platypus');

  expect(hits[0]!.snippet).toContain('**platypus**');
});

test('what another person wrote, and the hidden chat for trials, are not found', async () => {
  const other = await createPerson(database, 'Bea');
  await createChat('A narwhal', ['narwhal'], other);
  await database.client.chat.create({
    data: { ownerId, kind: 'TEST', modelId: 'direct', title: 'narwhal' },
  });

  expect(await idsOf('narwhal')).toEqual([]);
});

test('pages follow each other without gap or repeat', async () => {
  const made: string[] = [];
  for (let number = 0; number < 7; number += 1) made.push(await createChat(`Lynx ${number}`));
  const found: string[] = [];
  let after: string | null = null;
  for (let page = await find('lynx', 3, after); ; page = await find('lynx', 3, after)) {
    found.push(...page.hits.map(({ chatId }) => chatId));
    if (!page.hasNextPage) break;
    after = page.hits.at(-1)!.cursor;
  }

  expect(found).toEqual(made.reverse());
});

test('signs that mean something to the database are words like any others, or nothing', async () => {
  const id = await createChat(`O'Brien & co <-> 100% \\ test:*`);

  expect(await idsOf(`o'brien`)).toEqual([id]);
  expect(await idsOf(`co <-> 100% \\ te`)).toEqual([id]);
  for (const text of ['', '  ', `'`, '&|!():*', '\\', "\0'"]) expect(await idsOf(text)).toEqual([]);
});

test('a cursor of somewhere else is refused', async () => {
  await expect(find('lynx', 3, 'bm9uc2Vuc2U')).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

test('a changed title is found by its new words alone', async () => {
  const id = await createChat('Before the wombat');
  await database.client.chat.update({ where: { id }, data: { title: 'After the quokka' } });

  expect([await idsOf('wombat'), await idsOf('quokka')]).toEqual([[], [id]]);
});

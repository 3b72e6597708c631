import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../server/services/viewer.ts';
import { call } from './scripted-models.ts';
import { createChat, createGate, idle, openPlace, send, type Place } from './support.ts';

let place: Place;
let ada: Viewer;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());
beforeEach(async () => {
  ada = await place.createViewer();
});

const create = (title: string | null, requestId: string = randomUUID()) =>
  place.chats.create(ada, { requestId, title });
const list = (page: Partial<Parameters<Place['chats']['list']>[1]> = {}) =>
  place.chats.list(ada, { first: 10, after: null, ...page });
const titles = async (page?: Parameters<typeof list>[0]) =>
  (await list(page)).edges.map(({ node }) => node.chat.title);

/** Chats of which each is a second newer than the one before. */
async function createInOrder(...names: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const { id } = await create(name);
    const updatedAt = new Date(Date.UTC(2026, 0, 1) + index * 1_000);
    await place.database.client.chat.update({ where: { id }, data: { updatedAt } });
    ids.push(id);
  }
  return ids;
}

describe('making a chat', () => {
  test('twice for one request, also at the same time, makes one', async () => {
    const chats = await Promise.all([
      create('A', 'same'),
      create('A', 'same'),
      create('A', 'same'),
    ]);
    chats.push(await create('Other', 'same'));

    expect(new Set(chats.map(({ id }) => id)).size).toBe(1);
    expect(await titles()).toEqual(['A']);
    expect(await place.viewerEvents(ada)).toMatchObject([{ type: 'chat-change', title: 'A' }]);
  });

  test('takes the default model, and groups that are on from the start', async () => {
    const input = { requestId: 'x', groups: ['Cooking', 'Cooking'] };
    const chat = await place.chats.create(ada, input);

    expect(chat).toMatchObject({ ownerId: ada.id, title: '', modelId: 'test/one', busy: false });
    expect((await place.chats.snapshot(ada, chat.id)).activeGroups).toEqual(['Cooking']);
  });

  test.each([
    ['an unknown model', { modelId: 'test/three' }],
    ['an unknown group', { groups: ['Gardening'] }],
    ['a title of 201 characters', { title: 'x'.repeat(201) }],
    ['a blank title', { title: ' \n' }],
    ['no request id', { requestId: '' }],
  ])('with %s is refused', async (_, input) => {
    await expect(place.chats.create(ada, { requestId: 'x', ...input })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
    expect(await titles()).toEqual([]);
  });
});

describe('the list', () => {
  test('has the newest first, pinned ones before, and archived ones apart', async () => {
    const ids = await createInOrder('a', 'b', 'c', 'd');
    await place.chats.update(ada, ids[0]!, { pinned: true });
    await place.chats.update(ada, ids[2]!, { archived: true });

    expect(await titles()).toEqual(['a', 'd', 'b']);
    expect(await titles({ archived: true })).toEqual(['c']);
  });

  test('in pages leaves nothing out and repeats nothing, also among chats of one time', async () => {
    await createInOrder('a', 'b', 'c', 'd', 'e', 'f', 'g');
    await place.database.client.chat.updateMany({
      where: { ownerId: ada.id, title: { in: ['b', 'c', 'd', 'e'] } },
      data: { updatedAt: new Date(Date.UTC(2026, 0, 1)) },
    });
    const pages: string[][] = [];
    for (let after: string | null = null, more = true; more;) {
      const page = await list({ first: 2, after });
      pages.push(page.edges.map(({ node }) => node.chat.title));
      after = page.edges.at(-1)!.cursor;
      more = page.hasNextPage;
    }

    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    expect(pages.flat().slice(0, 2)).toEqual(['g', 'f']);
    expect(pages.flat().sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  test('brings a chat to the top when it is written in, and back from the archive', async () => {
    const [first] = await createInOrder('a', 'b');
    await place.chats.update(ada, first!, { archived: true });
    await send(place, ada, { chatId: first! });
    await idle(place);

    expect(await titles()).toEqual(['a', 'b']);
  });

  test('with a search has what fits, with a snippet, page by page', async () => {
    await createInOrder('owl one', 'owl two', 'sparrow', 'owl three');
    const first = await list({ first: 2, search: ' OWL ' });
    const second = await list({ first: 2, search: 'owl', after: first.edges.at(-1)!.cursor });

    expect(first.edges.map(({ node }) => node.snippet)).toEqual(['**owl** three', '**owl** two']);
    expect([first.hasNextPage, second.hasNextPage]).toEqual([true, false]);
    expect(second.edges.map(({ node }) => node.chat.title)).toEqual(['owl one']);
  });

  test.each([0, 101, 1.5])('with first = %d is refused', async (first) => {
    await expect(list({ first })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('after a cursor of somewhere else is refused', async () => {
    for (const search of [null, 'owl']) {
      await expect(list({ after: 'nonsense', search })).rejects.toMatchObject({
        code: 'BAD_INPUT',
      });
    }
  });
});

test('a new name is told to every page, and stays when the first message comes', async () => {
  const { id } = await createChat(place, ada);
  expect((await place.chats.rename(ada, id, '  My\n chat ')).title).toBe('My chat');
  await send(place, ada, { chatId: id, text: 'Hello' });
  await idle(place);

  expect((await place.chats.get(ada, id)).title).toBe('My chat');
  expect((await place.chatEvents(id))[0]).toEqual({ type: 'chat-update', title: 'My chat' });
  const told = (await place.viewerEvents(ada)).map((event) => 'title' in event && event.title);
  expect(told.slice(0, 2)).toEqual(['', 'My chat']);
});

describe('showing a branch', () => {
  test('goes down to its newest answer', async () => {
    const { id: chatId } = await createChat(place, ada);
    const read = async () => (await place.chats.snapshot(ada, chatId)).messages;
    await send(place, ada, { chatId, text: 'First' });
    await idle(place);
    await send(place, ada, { chatId, text: 'More' });
    await idle(place);
    const old = await read();
    const edit = { requestId: 'e', messageId: old[0]!.id, text: 'Second' };
    await place.turns.editMessage(ada, chatId, edit);
    await idle(place);
    const edited = (await read()).find(({ text }) => text === 'Second')!;

    expect((await place.chats.selectBranch(ada, chatId, old[0]!.id)).activeLeafId).toBe(old[3]!.id);
    const leaf = (await place.chats.selectBranch(ada, chatId, edited.id)).activeLeafId;
    expect((await read()).find(({ id }) => id === leaf)!.parentId).toBe(edited.id);
    await send(place, ada, { chatId, text: 'Third' });
    await idle(place);
    expect((await read()).find(({ text }) => text === 'Third')!.parentId).toBe(leaf);
  });
});

describe('deleting a chat', () => {
  test('removes its rows and files, and tells whoever follows it', async () => {
    const { id: chatId } = await createChat(place, ada);
    await place.files.createGenerated(chatId, {
      ...{ label: 'a.txt', mimeType: 'text/plain', content: 'a', callId: null },
    });
    await send(place, ada, { chatId });
    await idle(place);
    expect(existsSync(join(place.filesFolder, chatId))).toBe(true);
    await place.chats.delete(ada, chatId);
    await place.folder.idle();

    expect(existsSync(join(place.filesFolder, chatId))).toBe(false);
    const { client } = place.database;
    const where = { chatId };
    expect(
      await Promise.all([
        ...[client.message.count({ where }), client.turn.count({ where })],
        ...[client.event.count({ where }), client.chatFile.count({ where })],
      ]),
    ).toEqual([0, 0, 0, 0]);
    expect((await place.viewerEvents(ada)).at(-1)).toEqual({ type: 'chat-delete', chatId });
    await expect(place.chats.get(ada, chatId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('in the middle of an answer stops that, and nothing writes to it afterwards', async () => {
    const { id: chatId } = await createChat(place, ada);
    const gate = createGate();
    place.models.script({ parts: [call(randomUUID(), 'echo')] });
    place.executor.answer = () => (gate.open(), new Promise(() => {}));
    await send(place, ada, { chatId });
    await gate.opened;
    await place.chats.delete(ada, chatId);
    await idle(place);

    expect(await place.database.client.turn.count({ where: { chatId } })).toBe(0);
    await expect(place.chats.delete(ada, chatId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('while others write does not end in a deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id: chatId } = await createChat(place, ada);
      const calls = [0, 1, 2, 3].map(() => call(randomUUID(), 'echo'));
      place.models.script({ parts: calls }, { parts: [] });
      place.executor.answer = () => ({ status: 'success', data: 1 });
      await send(place, ada, { chatId });
      const switching = Promise.allSettled([
        ...[
          place.chats.rename(ada, chatId, 'x'),
          place.tools.activateGroup(ada, chatId, 'Cooking'),
        ],
      ]);
      await place.chats.delete(ada, chatId);
      for (const outcome of await switching) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'NOT_FOUND' });
      }
      await idle(place);
    }
  });
});

test('nothing of it is anybody else’s', async () => {
  const { id } = await create('Secret owl');
  await send(place, ada, { chatId: id });
  await idle(place);
  const messageId = (await place.chats.snapshot(ada, id)).messages[0]!.id;
  const eve = await place.createViewer('OPERATOR', 'Eve');
  const own = await createChat(place, eve);
  for (const attempt of [
    () => place.chats.get(eve, id),
    () => place.chats.snapshot(eve, id),
    () => place.chats.rename(eve, id, 'Mine'),
    () => place.chats.update(eve, id, { pinned: true }),
    () => place.chats.delete(eve, id),
    () => place.chats.selectBranch(eve, id, messageId),
    () => place.chats.selectBranch(eve, own.id, messageId),
    () => place.chats.get(ada, randomUUID()),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  for (const search of [null, 'owl']) {
    const page = await place.chats.list(eve, { first: 10, after: null, search });
    expect(page.edges.map(({ node }) => node.chat.title)).not.toContain('Secret owl');
  }
  const sameRequest = await place.chats.create(ada, { requestId: 'theirs' });
  expect((await place.chats.create(eve, { requestId: 'theirs' })).id).not.toBe(sameRequest.id);
});

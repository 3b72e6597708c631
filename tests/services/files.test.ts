import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../server/services/viewer.ts';
import { createChat, LIMITS, openPlace, type Place } from './support.ts';

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
  await place.database.client.upload.deleteMany();
  await rm(join(place.filesFolder, 'uploads'), { recursive: true, force: true });
});

async function* bodyOf(...chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const receive = (label = 'data.csv', body = bodyOf('a,b\n', '1,2\n'), mimeType = 'text/csv') =>
  place.files.receive(ada, { label, mimeType, body });
const attach = async (label?: string) => place.files.attach(ada, chatId, (await receive(label)).id);
const generate = (
  label: string,
  content: string | Uint8Array = 'made',
  callId: string | null = null,
) => place.files.createGenerated(chatId, { label, mimeType: 'text/plain', content, callId });
const onDisk = async (folder: string): Promise<readonly string[]> => {
  const path = join(place.filesFolder, folder);
  return existsSync(path) ? readdir(path) : [];
};

describe('an upload', () => {
  test('is kept under a name of the server’s, with the given one as a label', async () => {
    const upload = await receive('My Data.CSV');
    expect(upload).toMatchObject({ label: 'My Data.CSV', mimeType: 'text/csv', bytes: 8 });

    const names = await onDisk('uploads');
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.csv$/)]);
    expect(await readFile(join(place.filesFolder, 'uploads', names[0]!), 'utf8')).toBe(
      'a,b\n1,2\n',
    );
  });

  test.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['C:\\temp\\x.txt', 'C:_temp_x.txt'],
    [' a\u0000b\u202Ecod.exe\n', 'a\uFFFDbcod.exe'],
    [`${'x'.repeat(300)}.txt`, `${'x'.repeat(196)}.txt`],
    ['noextension', 'noextension'],
    ['größe 😀.pdf', 'größe 😀.pdf'],
  ])('named %j is labelled %j', async (name, label) => {
    expect((await receive(name)).label).toBe(label);
  });

  test.each(['', ' ', '.', '..', '\u0007'])('named %j is refused', async (name) => {
    await expect(receive(name)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await onDisk('uploads')).toEqual([]);
  });

  test('may be as large as the limit; a byte more is refused, and nothing of it is kept', async () => {
    const half = 'x'.repeat(LIMITS.uploadMaxBytes / 2);
    expect((await receive('full.txt', bodyOf(half, half))).bytes).toBe(LIMITS.uploadMaxBytes);
    await expect(receive('more.txt', bodyOf(half, half, 'x'))).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('1000') as string,
    });

    expect(await onDisk('uploads')).toHaveLength(1);
  });

  test('that breaks off is not kept', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* bodyOf('half');
      throw new Error('The line was cut.');
    }
    await expect(receive('x.txt', broken())).rejects.toThrow('The line was cut.');
    expect([await onDisk('uploads'), await place.database.client.upload.count()]).toEqual([[], 0]);
  });

  test('of a type that is none is plain bytes', async () => {
    expect((await receive('x', bodyOf('1'), 'text/html; <script>')).mimeType).toBe(
      'application/octet-stream',
    );
  });

  test('that is never attached is forgotten after a day', async () => {
    await receive();
    await place.files.removeStaleUploads(new Date(Date.now() + 86_300_000));
    expect(await place.database.client.upload.count()).toBe(1);
    await place.files.removeStaleUploads(new Date(Date.now() + 86_500_000));
    await place.folder.idle();

    expect([await onDisk('uploads'), await place.database.client.upload.count()]).toEqual([[], 0]);
  });
});

describe('attaching', () => {
  test('moves the upload into the chat, and tells its pages', async () => {
    const file = await attach();
    expect(file).toMatchObject({
      ...{ chatId, label: 'data.csv', origin: 'UPLOADED', messageId: null },
      codeInterpreterPath: '/mnt/data/data.csv',
    });
    expect(file.downloadUrl.startsWith(`/generated-files/${chatId}/`)).toBe(true);

    const storedName = file.downloadUrl.split('/').at(-1)!;
    const { path } = await place.files.locate(ada, chatId, storedName);
    expect(await readFile(path, 'utf8')).toBe('a,b\n1,2\n');
    expect(await onDisk('uploads')).toEqual([]);
    expect(await place.chatEvents(chatId)).toMatchObject([
      { type: 'chat-update', files: [{ label: 'data.csv' }] },
    ]);
  });

  test('files of one name get numbers, also at the same time', async () => {
    const files = await Promise.all([attach(), attach(), attach(), generate('data.csv')]);
    expect(files.map(({ label }) => label).sort()).toEqual([
      ...['data (2).csv', 'data (3).csv', 'data (4).csv', 'data.csv'],
    ]);
  });

  test('the same upload twice at the same time attaches it once', async () => {
    const { id } = await receive();
    const attempts = [0, 1].map(() => place.files.attach(ada, chatId, id));
    const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status);

    expect(outcomes.sort()).toEqual(['fulfilled', 'rejected']);
    expect(await onDisk(chatId)).toHaveLength(1);
    await expect(place.files.attach(ada, chatId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('over the limit of the chat is refused, and the upload can be attached elsewhere', async () => {
    const full = 'x'.repeat(LIMITS.uploadMaxBytes);
    for (const label of ['a', 'b']) await generate(label, full);
    const upload = await receive('c', bodyOf(full));
    await expect(place.files.attach(ada, chatId, upload.id)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('CHAT_MAX_BYTES') as string,
    });

    expect([await onDisk('uploads'), await onDisk(chatId)]).toMatchObject([
      { length: 1 },
      { length: 2 },
    ]);
    const other = await createChat(place, ada);
    expect(await place.files.attach(ada, other.id, upload.id)).toMatchObject({ label: 'c' });
  });

  test('an upload whose content is gone is not attached', async () => {
    const upload = await receive();
    await rm(join(place.filesFolder, 'uploads'), { recursive: true });

    await expect(place.files.attach(ada, chatId, upload.id)).rejects.toThrow('ENOENT');
    expect(await place.files.listOfChat(chatId)).toEqual([]);
  });
});

describe('a generated file', () => {
  test('belongs to its call, and is found by its label', async () => {
    await place.database.client.toolCall.create({
      data: { chatId, callId: 'c1', toolName: 'echo', argumentsText: '{}' },
    });
    const file = await generate('plot.PNG', new Uint8Array([1, 2, 3]), 'c1');
    expect(file).toMatchObject({
      origin: 'GENERATED',
      bytes: 3,
      toolCallId: expect.any(String) as string,
    });

    const found = await place.files.locateLabel(chatId, 'plot.PNG');
    expect([...(await readFile(found!.path))]).toEqual([1, 2, 3]);
    expect(await place.files.locateLabel(chatId, 'plot.png')).toBeNull();
  });

  test('that does not fit, or whose chat is gone, leaves nothing on disk', async () => {
    const full = 'x'.repeat(LIMITS.uploadMaxBytes);
    for (const label of ['a', 'b']) await generate(label, full);
    await expect(generate('c', full)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(generate('d', `${full}x`)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await onDisk(chatId)).toHaveLength(2);

    await place.chats.delete(ada, chatId);
    await place.folder.idle();
    await expect(generate('e')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await onDisk(chatId)).toEqual([]);
  });
});

test('a deleted file is gone, from the chat and from the disk', async () => {
  const file = await attach();
  await place.files.delete(ada, file.id);
  await place.folder.idle();

  expect([await onDisk(chatId), await place.files.listOfChat(chatId)]).toEqual([[], []]);
  expect((await place.chatEvents(chatId)).at(-1)).toMatchObject({ type: 'chat-update', files: [] });
  expect(await place.database.client.fileDeletion.count()).toBe(0);
  await expect(place.files.delete(ada, file.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('nothing of it is anybody else’s', async () => {
  const eve = await place.createViewer('OPERATOR', 'Eve');
  const own = await createChat(place, eve);
  const upload = await receive();
  const file = await attach();
  const storedName = file.downloadUrl.split('/').at(-1)!;

  for (const attempt of [
    () => place.files.attach(eve, own.id, upload.id),
    () => place.files.delete(eve, file.id),
    () => place.files.locate(eve, chatId, storedName),
    () => place.files.locate(eve, own.id, storedName),
    () => place.files.locate(ada, chatId, '../auth-secret'),
    () => place.files.attach(ada, own.id, upload.id),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await onDisk('uploads')).toHaveLength(1);
});

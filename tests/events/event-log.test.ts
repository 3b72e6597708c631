import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatStream } from '../../server/events/stream.ts';
import {
  createReader,
  encodeLine,
  numbersOf,
  openEventPlace,
  textDelta,
  title,
  type EventPlace,
} from './support.ts';

let place: EventPlace;

beforeAll(async () => {
  place = await openEventPlace();
});

afterAll(() => place?.close());

describe('append', () => {
  test('events of a chat have the numbers 1, 2, 3 … in the order in which they were given', async () => {
    const chat = await place.createChat();
    const numbers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => place.events.log.append(chat, [title(`${index}`)])),
    );

    expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    const rows = await place.database.client.event.findMany({
      where: { chatId: chat.id },
      orderBy: { sequence: 'asc' },
    });
    expect(rows.map(({ data }) => (data as { title: string }).title)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${index}`),
    );
  });

  test('each stream counts for itself, also when many are written together', async () => {
    const chats = await Promise.all(Array.from({ length: 5 }, () => place.createChat()));
    const numbers = await Promise.all(
      chats.map((chat, index) =>
        place.events.log.append(
          chat,
          Array.from({ length: index + 1 }, () => title('x')),
        ),
      ),
    );

    expect(numbers).toEqual([1, 2, 3, 4, 5]);
  });

  test('an event for a chat that does not exist is refused, and harms no other', async () => {
    const chat = await place.createChat();
    const [refused, stored] = await Promise.allSettled([
      place.events.log.append(chatStream('nowhere'), [title('a')]),
      place.events.log.append(chat, [title('b')]),
    ]);

    expect(refused).toMatchObject({ reason: { code: 'NOT_FOUND' } });
    expect(stored).toMatchObject({ value: 1 });
  });

  test('an event that the database refuses is refused alone; the others of its group are stored', async () => {
    const [first, second] = [await place.createChat(), await place.createChat()];
    // JSON has no infinity: what should be an event becomes null, which its column refuses.
    const broken = { ...title('a'), toJSON: () => Number.POSITIVE_INFINITY };
    const [refused, stored] = await Promise.allSettled([
      place.events.log.append(first, [broken]),
      place.events.log.append(second, [title('b')]),
    ]);

    expect([refused?.status, stored?.status]).toEqual(['rejected', 'fulfilled']);
    expect(await place.storedNumbers(first)).toEqual([]);
    expect(await place.events.log.append(first, [title('c')])).toBe(1);
  });

  test('drain waits until everything that was given is stored', async () => {
    const chat = await place.createChat();
    let isStored = false;
    void place.events.log.append(chat, [title('a')]).then(() => (isStored = true));
    await place.events.log.drain();

    expect(isStored).toBe(true);
  });

  test('an event of a megabyte is stored and sent whole', async () => {
    const chat = await place.createChat();
    const text = 'ä'.repeat(1_000_000);
    await place.events.log.append(chat, [title(text)]);
    const reader = createReader();
    place.events.hub.subscribe({
      ...{ stream: chat, afterSequence: 0, encode: encodeLine, sink: reader.sink },
    });

    const [line] = await reader.count(1);
    expect(line?.event).toEqual(title(text));
  });

  test('NUL and halves of surrogate pairs become U+FFFD, for live and for later readers', async () => {
    const chat = await place.createChat();
    const live = createReader();
    const subscription = { stream: chat, afterSequence: 0, encode: encodeLine };
    place.events.hub.subscribe({ ...subscription, sink: live.sink });
    await place.events.log.append(chat, [title('a\0b\ud83dc\ude00d😀 \\u0000 \\ud83d "q"')]);
    await live.count(1);
    const later = createReader();
    const rows = await place.database.client.event.findMany({ where: { chatId: chat.id } });
    place.events.hub.subscribe({ ...subscription, sink: later.sink });

    const expected = 'a\ufffdb\ufffdc\ufffdd😀 \\u0000 \\ud83d "q"';
    expect(live.lines[0]?.event).toEqual(title(expected));
    expect(rows[0]?.data).toEqual(title(expected));
    expect((await later.count(1))[0]?.event).toEqual(title(expected));
  });
});

describe('appendWithin', () => {
  test('rows and events count together, or not at all', async () => {
    const chat = await place.createChat();
    const reader = createReader();
    const subscription = { stream: chat, afterSequence: 0, encode: encodeLine };
    place.events.hub.subscribe({ ...subscription, sink: reader.sink });
    const attempt = place.events.log.appendWithin(async ({ client, append }) => {
      await client.chat.update({ where: { id: chat.id }, data: { title: 'new' } });
      append(chat, title('new'));
      throw new Error('Changed my mind.');
    });

    await expect(attempt).rejects.toThrow('Changed my mind.');
    await place.events.log.append(chat, [title('other')]);
    expect((await reader.count(1)).map(({ event }) => event)).toEqual([title('other')]);
    expect(numbersOf(reader.lines)).toEqual([1]);
    const row = await place.database.client.chat.findUniqueOrThrow({ where: { id: chat.id } });
    expect(row.title).toBe('');
  });

  test('its events come after everything that was given before', async () => {
    const chat = await place.createChat();
    void place.events.log.append(chat, [textDelta('m', 'a'), textDelta('m', 'b')]);
    await place.events.log.appendWithin(async ({ append }) => append(chat, title('c')));

    const rows = await place.database.client.event.findMany({
      where: { chatId: chat.id },
      orderBy: { sequence: 'asc' },
    });
    expect(rows.map(({ type }) => type)).toEqual(['text-delta', 'text-delta', 'chat-update']);
  });

  test('events for a chat that does not exist undo the whole work', async () => {
    const chat = await place.createChat();
    const attempt = place.events.log.appendWithin(async ({ client, append }) => {
      await client.chat.update({ where: { id: chat.id }, data: { title: 'new' } });
      append(chatStream('nowhere'), title('new'));
    });

    await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const row = await place.database.client.chat.findUniqueOrThrow({ where: { id: chat.id } });
    expect(row.title).toBe('');
  });

  test('append inside the work is an error of the program, not a wait for ever', async () => {
    const chat = await place.createChat();
    const attempt = place.events.log.appendWithin(() =>
      place.events.log.append(chat, [title('a')]),
    );

    await expect(attempt).rejects.toThrow('appended by the transaction');
  });

  test('many writers of two streams, in both ways, neither wait for ever nor share a number', async () => {
    const person = await place.createPerson();
    const chat = await place.createChat(person.id);
    const other = await place.createChat(person.id);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? place.events.log.append(index % 4 === 0 ? chat : other, [title('a')])
          : place.events.log.appendWithin(async ({ append }) => {
              append(person, { type: 'facts-change' });
              append(other, title('b'));
              append(chat, title('b'));
            }),
      ),
    );

    const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
    expect(await place.storedNumbers(chat)).toEqual(upTo(15));
    expect(await place.storedNumbers(other)).toEqual(upTo(15));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatStream } from '../../server/events/stream.ts';
import {
  createReader,
  encodeLine,
  messageEnd,
  numbersOf,
  openEventPlace,
  textDelta,
  title,
  turnStart,
  type EventPlace,
  type Line,
  type Reader,
} from './support.ts';

let place: EventPlace;

beforeAll(async () => {
  place = await openEventPlace();
});

afterAll(() => place?.close());

const follow = (stream: ChatStream, afterSequence: number): Reader<Line> & { stop(): void } => {
  const reader = createReader();
  const stop = place.events.hub.subscribe({
    ...{ stream, afterSequence, encode: encodeLine, sink: reader.sink },
  });
  return Object.assign(reader, { stop });
};

const appendTitles = (chat: ChatStream, count: number): Promise<number> =>
  place.events.log.append(
    chat,
    Array.from({ length: count }, (_, index) => title(`${index}`)),
  );

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('from stored to live', () => {
  test('a subscriber gets what is stored after its number, then what is published, each once', async () => {
    const chat = await place.createChat();
    await appendTitles(chat, 5);
    const reader = follow(chat, 2);
    await reader.count(3);
    await appendTitles(chat, 3);

    expect(numbersOf(await reader.count(6))).toEqual(upTo(8, 3));
    reader.stop();
  });

  test('subscribers who come at any number, while events are written, miss none and repeat none', async () => {
    const chat = await place.createChat();
    const readers: { after: number; reader: ReturnType<typeof follow> }[] = [];
    for (let round = 0; round < 40; round += 1) {
      const writing = appendTitles(chat, 1 + (round % 17));
      for (const after of [0, Math.max(0, round * 3 - 20)]) {
        const { lastSequence } = await place.database.client.chat.findUniqueOrThrow({
          where: { id: chat.id },
        });
        const from = Math.min(after, lastSequence);
        readers.push({ after: from, reader: follow(chat, from) });
      }
      if (round % 3 === 0) await writing;
    }
    const last = await appendTitles(chat, 1);

    for (const { after, reader } of readers) {
      expect(numbersOf(await reader.count(last - after))).toEqual(upTo(last, after + 1));
      reader.stop();
    }
  });

  test('each event tells the number that the stream had covered before it', async () => {
    const chat = await place.createChat();
    await place.events.log.append(chat, [turnStart('m'), textDelta('m', 'a'), textDelta('m', 'b')]);
    await place.events.log.append(chat, [messageEnd('m', 'ab'), title('c')]);
    const reader = follow(chat, 0);
    const lines = await reader.count(3);

    expect(lines.map(({ previousSequence, sequence }) => [previousSequence, sequence])).toEqual([
      [0, 1],
      [1, 4],
      [4, 5],
    ]);
    reader.stop();
  });

  test('more events than a page holds are replayed whole', async () => {
    const chat = await place.createChat();
    await appendTitles(chat, 700);
    const reader = follow(chat, 0);

    expect(numbersOf(await reader.count(700))).toEqual(upTo(700));
    reader.stop();
  });

  test('what another transaction stored first is sent first, even when it is told of last', async () => {
    const chat = await place.createChat();
    const reader = follow(chat, 0);
    await appendTitles(chat, 1);
    await reader.count(1);
    const { hub } = place.events;
    const publish = hub.publish.bind(hub);
    const kept: Parameters<typeof publish>[0][] = [];
    hub.publish = (changes) => void kept.push(changes);
    await appendTitles(chat, 1);
    hub.publish = publish;
    await appendTitles(chat, 1);
    for (const changes of kept) publish(changes);

    expect(numbersOf(await reader.count(3))).toEqual([1, 2, 3]);
    reader.stop();
  });
});

describe('a number that the log does not have', () => {
  test('before what is kept: the stream begins with log-reset, then what is kept', async () => {
    const chat = await place.createChat();
    await appendTitles(chat, 6);
    await place.database.client.chat.update({
      where: { id: chat.id },
      data: { prunedThrough: 4 },
    });
    await place.database.client.event.deleteMany({
      where: { chatId: chat.id, sequence: { lte: 4 } },
    });
    const reader = follow(chat, 2);
    const lines = await reader.count(3);

    expect(lines.map(({ event }) => event.type)).toEqual([
      'log-reset',
      'chat-update',
      'chat-update',
    ]);
    expect(numbersOf(lines)).toEqual([4, 5, 6]);
    expect(lines[0]?.previousSequence).toBe(2);
    reader.stop();
  });

  test('never given: the stream begins with log-reset, for the first subscriber and for a later one', async () => {
    const chat = await place.createChat();
    await appendTitles(chat, 2);
    for (const reader of [follow(chat, 50), follow(chat, 50)]) {
      const lines = await reader.count(3);
      expect(lines.map(({ event }) => event.type)[0]).toBe('log-reset');
      expect(numbersOf(lines)).toEqual([0, 1, 2]);
    }
    const later = follow(chat, 50);
    expect(numbersOf(await later.count(3))).toEqual([0, 1, 2]);
    await appendTitles(chat, 1);
    expect(numbersOf(await later.count(4))).toEqual([0, 1, 2, 3]);
    later.stop();
  });
});

describe('a slow reader', () => {
  test('is not sent more than 256 KB ahead, loses nothing, and holds up nobody', async () => {
    const chat = await place.createChat();
    const [slow, quick] = [follow(chat, 0), follow(chat, 0)];
    await appendTitles(chat, 1);
    await Promise.all([slow.count(1), quick.count(1)]);
    slow.stall();
    const text = 'x'.repeat(10_000);
    for (let index = 0; index < 100; index += 1) {
      await place.events.log.append(chat, [title(text)]);
    }

    expect(numbersOf(await quick.count(101))).toEqual(upTo(101));
    expect(slow.mostBufferedBytes).toBeLessThan(256 * 1_024 + 2 * text.length);
    expect(slow.lines.length).toBeLessThan(50);
    slow.drain();
    expect(numbersOf(await slow.count(101))).toEqual(upTo(101));
    await appendTitles(chat, 1);
    expect(numbersOf(await slow.count(102))).toEqual(upTo(102));
    for (const reader of [slow, quick]) reader.stop();
  });

  test('that had not seen deltas before their message ended gets the whole message instead', async () => {
    const chat = await place.createChat();
    const slow = follow(chat, 0);
    await place.events.log.append(chat, [turnStart('m')]);
    await slow.count(1);
    slow.stall();
    const piece = 'y'.repeat(100_000);
    for (let index = 0; index < 5; index += 1) {
      await place.events.log.append(chat, [textDelta('m', piece)]);
    }
    for (let index = 0; index < 300; index += 1) {
      await place.events.log.append(chat, [title('t')]);
    }
    const sent = slow.lines.length;
    await place.events.log.append(chat, [messageEnd('m', piece.repeat(5))]);
    slow.drain();
    const lines = await slow.count(sent + 301);

    expect(lines.at(-1)?.event.type).toBe('message-end');
    const later = lines.slice(sent);
    expect(later.filter(({ event }) => event.type === 'text-delta')).toEqual([]);
    expect(later[0]?.previousSequence).toBe(numbersOf(lines)[sent - 1]);
    slow.stop();
  });
});

describe('subscribers', () => {
  test('of one group share what is made of an event; it is made once', async () => {
    const chat = await place.createChat();
    let made = 0;
    const encode = (value: unknown): string => {
      made += 1;
      return JSON.stringify(value);
    };
    const readers = Array.from({ length: 20 }, () => createReader());
    const stops = readers.map(({ sink }) =>
      place.events.hub.subscribe({ stream: chat, afterSequence: 0, sink, encode }),
    );
    await appendTitles(chat, 10);
    for (const reader of readers) await reader.count(10);

    expect(made).toBe(10);
    for (const stop of stops) stop();
  });

  test('whose encoder throws are ended with its error; the others go on', async () => {
    const chat = await place.createChat();
    const broken = createReader();
    const sound = follow(chat, 0);
    place.events.hub.subscribe({
      ...{ stream: chat, afterSequence: 0, sink: broken.sink },
      encode() {
        throw new Error('No such field.');
      },
    });
    await appendTitles(chat, 2);
    await broken.end();

    expect(broken.ended?.error).toMatchObject({ message: 'No such field.' });
    expect(numbersOf(await sound.count(2))).toEqual([1, 2]);
    sound.stop();
  });

  test('of a chat that is deleted are told so, and their streams end', async () => {
    const chat = await place.createChat();
    const reader = follow(chat, 0);
    await appendTitles(chat, 1);
    await reader.count(1);
    await place.events.log.appendWithin(async ({ client, remove }) => {
      await client.chat.delete({ where: { id: chat.id } });
      remove(chat);
    });
    await reader.end();

    expect(reader.lines.at(-1)?.event).toEqual({ type: 'chat-delete' });
    expect(reader.ended).toEqual({ error: null });
  });

  test('that have left are forgotten', async () => {
    const before = place.events.hub.subscriptionCount();
    const chat = await place.createChat();
    const readers = [follow(chat, 0), follow(chat, 0)];
    expect(place.events.hub.subscriptionCount()).toBe(before + 2);
    for (const { stop } of readers) stop();
    await appendTitles(chat, 1);

    expect(place.events.hub.subscriptionCount()).toBe(before);
    expect(readers.flatMap(({ lines }) => lines)).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatStream } from '../../server/events/stream.ts';
import {
  callStart,
  createReader,
  encodeLine,
  isOnServer,
  letTimeRun,
  numbersOf,
  openBeside,
  openEventPlace,
  title,
  type EventPlace,
  type Line,
  type Reader,
} from './support.ts';

/** Two processes can share only a PostgreSQL server: the embedded database has one. */
describe.runIf(isOnServer)('two processes on one database', () => {
  let first: EventPlace & { readonly url: string };
  let second: EventPlace;

  beforeAll(async () => {
    first = await openEventPlace();
    second = await openBeside(first);
  });

  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  const follow = (
    at: EventPlace,
    stream: ChatStream,
    after = 0,
  ): Reader<Line> & { stop(): void } => {
    const reader = createReader();
    const stop = at.events.hub.subscribe({
      ...{ stream, afterSequence: after, encode: encodeLine, sink: reader.sink },
    });
    return Object.assign(reader, { stop });
  };

  test('a subscriber of one gets what the other stores, in order and once', async () => {
    const chat = await first.createChat();
    const readers = [follow(first, chat), follow(second, chat)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? first : second).events.log.append(chat, [title(`${index}`)]),
      ),
    );

    for (const reader of readers) {
      const lines = await reader.count(40);
      expect(numbersOf(lines)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      reader.stop();
    }
    expect(readers[0]?.lines.map(({ event }) => event)).toEqual(
      readers[1]?.lines.map(({ event }) => event),
    );
  });

  test('a doorbell that was lost is made up for by the look of every second', async () => {
    const chat = await first.createChat();
    const reader = follow(first, chat);
    await first.events.log.append(chat, [title('a')]);
    await reader.count(1);
    const { notify } = second.database;
    Object.assign(second.database, { notify: () => Promise.resolve() });
    await second.events.log.append(chat, [title('b')]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(numbersOf(reader.lines)).toEqual([1]);

    first.clock.advance(1_000);
    expect(numbersOf(await reader.count(2))).toEqual([1, 2]);
    Object.assign(second.database, { notify });
    reader.stop();
  });

  test('who comes back to a process that has not heard yet gets no reset', async () => {
    const chat = await first.createChat();
    await first.events.log.append(chat, [title('a')]);
    const early = follow(first, chat);
    await early.count(1);
    const { notify } = second.database;
    Object.assign(second.database, { notify: () => Promise.resolve() });
    await second.events.log.append(chat, [title('b')]);
    const back = follow(first, chat, 2);
    Object.assign(second.database, { notify });
    await second.events.log.append(chat, [title('c')]);

    expect(numbersOf(await back.count(1))).toEqual([3]);
    expect(numbersOf(await early.count(3))).toEqual([1, 2, 3]);
    for (const { stop } of [early, back]) stop();
  });

  test('events of tools and the end of a chat are told across, too', async () => {
    const chat = await first.createChat();
    const tools = createReader();
    const stopTime = letTimeRun(second);
    const stop = await second.events.toolEvents.subscribe({
      filter: { ownerId: null, chatId: chat.id, toolName: null },
      ...{ after: null, sink: tools.sink, encode: encodeLine },
    });
    const reader = follow(second, chat);
    await first.events.log.append(chat, [callStart('a')]);
    await Promise.all([tools.count(1), reader.count(1)]);
    await first.events.log.appendWithin(async ({ client, remove }) => {
      await client.chat.delete({ where: { id: chat.id } });
      remove(chat);
    });
    await reader.end();

    expect(reader.lines.at(-1)?.event).toEqual({ type: 'chat-delete' });
    stopTime();
    stop();
  });

  test('a credential that ends in one process is told to the other', async () => {
    const told = new Promise<string>((resolve) => {
      second.events.bus.subscribe((message) => {
        if (message.type === 'credential-end') resolve(message.credentialId);
      });
    });
    first.events.bus.announce([{ type: 'credential-end', credentialId: 'session-1' }]);

    expect(await told).toBe('session-1');
  });

  test('what waits to be told goes out in as few messages as it fits, the newest number per stream', async () => {
    const payloads: string[] = [];
    const { notify } = first.database;
    Object.assign(first.database, {
      notify: (_channel: string, payload: string) => Promise.resolve(payloads.push(payload)),
    });
    const news = (id: string, lastSequence: number, hasToolEvents: boolean) =>
      ({ type: 'stream', kind: 'chat', ...{ id, lastSequence, hasToolEvents } }) as const;
    first.events.bus.announce([news('first', 1, false)]);
    first.events.bus.announce([news('a', 8, true), news('a', 7, false)]);
    first.events.bus.announce(Array.from({ length: 200 }, (_, at) => news(`chat-${at}`, 1, false)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    Object.assign(first.database, { notify });

    expect(payloads.every((payload) => payload.length < 8_000)).toBe(true);
    expect(payloads.length).toBeLessThan(6);
    const messages = payloads.flatMap((payload) => JSON.parse(payload) as { id: string }[]);
    expect(messages).toHaveLength(202);
    expect(messages.find(({ id }) => id === 'a')).toMatchObject(news('a', 8, true));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_FILTER, type ToolEventFilter } from '../../server/events/tool-event-store.ts';
import type { ToolStreamEvent } from '../../server/events/tool-event-store.ts';
import { createEvents } from '../../server/events/events.ts';
import { createLog } from '../../server/log.ts';
import {
  callEnd,
  callProgress,
  callStart,
  createReader,
  encodeLine,
  isOnServer,
  letTimeRun,
  openEventPlace,
  textDelta,
  title,
  type EventPlace,
  type Reader,
} from './support.ts';

let place: EventPlace;
let stopTime: () => void;

beforeAll(async () => {
  place = await openEventPlace();
  stopTime = letTimeRun(place);
});

afterAll(() => {
  stopTime?.();
  return place?.close();
});

async function follow(
  filter: Partial<ToolEventFilter> = {},
  after: string | null = null,
): Promise<Reader<ToolStreamEvent> & { stop(): void }> {
  const reader = createReader<ToolStreamEvent>();
  const stop = await place.events.toolEvents.subscribe({
    ...{ filter: { ...NO_FILTER, ...filter }, after, sink: reader.sink, encode: encodeLine },
  });
  return Object.assign(reader, { stop });
}

const callsOf = (lines: readonly ToolStreamEvent[]): string[] =>
  lines.map(({ event }) => `${event.type} ${'callId' in event ? event.callId : ''}`);

describe('the stream of tool events', () => {
  test('begins with what comes, crosses chats, and shows nothing but events of tools', async () => {
    const [ada, bob] = [await place.createPerson('Ada'), await place.createPerson('Bob')];
    const [first, second] = [await place.createChat(ada.id), await place.createChat(bob.id)];
    await place.events.log.append(first, [callStart('before')]);
    const reader = await follow();
    await place.events.log.append(first, [title('t'), callStart('a'), textDelta('m', 'x')]);
    await place.events.log.append(second, [callStart('b')]);
    await place.events.log.append(first, [callEnd('a')]);
    const lines = await reader.count(3);

    expect(callsOf(lines)).toEqual(['tool-call-start a', 'tool-call-start b', 'tool-call-end a']);
    expect(lines.map(({ chatId, ownerName }) => [chatId, ownerName])).toEqual([
      [first.id, 'Ada'],
      [second.id, 'Bob'],
      [first.id, 'Ada'],
    ]);
    reader.stop();
  });

  test('goes on behind the cursor of any event, without gap or repeat', async () => {
    const chats = await Promise.all([1, 2, 3].map(() => place.createChat()));
    const reader = await follow();
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        chats.map((chat, at) => place.events.log.append(chat, [callStart(`${round}-${at}`)])),
      );
    }
    const lines = [...(await reader.count(30))];
    for (const at of [0, 7, 15, 28]) {
      const later = await follow({}, lines[at]?.cursor ?? null);
      const rest = await later.count(29 - at);
      expect(rest.map(({ cursor }) => cursor)).toEqual(
        lines.slice(at + 1).map(({ cursor }) => cursor),
      );
      later.stop();
    }
    reader.stop();
  });

  test('can be narrowed to a person, a chat and a tool, live and from the store', async () => {
    const ada = await place.createPerson('Ada');
    const [first, second] = [await place.createChat(ada.id), await place.createChat(ada.id)];
    const foreign = await place.createChat();
    const start = await follow();
    await place.events.log.append(foreign, [callStart('zero')]);
    const [{ cursor } = { cursor: '' }] = await start.count(1);
    const live = await Promise.all([
      follow({ ownerId: ada.id }),
      follow({ chatId: second.id }),
      follow({ ownerId: ada.id, toolName: 'view' }),
    ]);
    await place.events.log.append(foreign, [callStart('foreign', 'view')]);
    await place.events.log.append(first, [callStart('one', 'view'), callStart('two')]);
    await place.events.log.append(second, [callStart('three')]);
    await place.events.log.append(first, [callEnd('one', 'view')]);
    const stored = await Promise.all([
      follow({ ownerId: ada.id }, cursor),
      follow({ chatId: second.id }, cursor),
      follow({ ownerId: ada.id, toolName: 'view' }, cursor),
    ]);

    for (const [byPerson, byChat, byTool] of [live, stored]) {
      expect(callsOf(await byPerson.count(4))).toEqual([
        'tool-call-start one',
        'tool-call-start two',
        'tool-call-start three',
        'tool-call-end one',
      ]);
      expect(callsOf(await byChat.count(1))).toEqual(['tool-call-start three']);
      expect(callsOf(await byTool.count(2))).toEqual(['tool-call-start one', 'tool-call-end one']);
    }
    for (const { stop } of [start, ...live, ...stored]) stop();
  });

  test('leaves out the progress of calls that have ended', async () => {
    const chat = await place.createChat();
    const live = await follow();
    await place.events.log.append(chat, [callStart('p')]);
    await place.events.log.append(chat, [callProgress('p', 'half')]);
    const [{ cursor } = { cursor: '' }] = await live.count(2);
    live.stop();
    await place.events.log.append(chat, [callEnd('p')]);
    const later = await follow({}, cursor);

    expect(callsOf(await later.count(1))).toEqual(['tool-call-end p']);
    later.stop();
  });

  test('refuses a cursor that is not one of its own', async () => {
    await expect(follow({}, '17')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('begins anew with a cursor of another database, whose transactions lie ahead', async () => {
    const chat = await place.createChat();
    const reader = await follow({}, `${'9'.repeat(18).padStart(20, '0')}.${chat.id}.0000000001`);
    await place.events.log.append(chat, [callStart('n')]);

    expect(callsOf(await reader.count(1))).toEqual(['tool-call-start n']);
    reader.stop();
  });

  test('shows events that were restored from another database, whose transactions lie ahead', async () => {
    const chat = await place.createChat();
    await place.events.log.append(chat, [callStart('restored')]);
    await place.database.client.event.updateMany({
      where: { chatId: chat.id },
      data: { transactionId: 10n ** 15n },
    });
    const { database, clock } = place;
    const restarted = await createEvents({ database, clock, log: createLog({ level: 'silent' }) });
    const reader = createReader<ToolStreamEvent>();
    const stop = await restarted.toolEvents.subscribe({
      filter: { ...NO_FILTER, chatId: chat.id },
      after: '00000000000000000000..0000000000',
      ...{ sink: reader.sink, encode: encodeLine },
    });

    expect(callsOf(await reader.count(1))).toEqual(['tool-call-start restored']);
    stop();
    await restarted.close();
  });

  test.runIf(isOnServer)(
    'does not step over an event whose transaction commits after a later one',
    async () => {
      const [slow, quick] = [await place.createChat(), await place.createChat()];
      const reader = await follow();
      let finish = (): void => undefined;
      const isHeld = new Promise<void>((resolve) => (finish = resolve));
      let begin = (): void => undefined;
      const hasBegun = new Promise<void>((resolve) => (begin = resolve));
      const slowWrite = place.events.log.appendWithin(async ({ client, append }) => {
        await client.chat.update({ where: { id: slow.id }, data: { title: 'x' } });
        begin();
        await isHeld;
        append(slow, callStart('slow'));
      });
      await hasBegun;
      await place.events.log.append(quick, [callStart('quick')]);
      const early = await follow({}, null);
      finish();
      await slowWrite;

      for (const stream of [reader, early]) {
        expect(callsOf(await stream.count(2))).toEqual([
          'tool-call-start slow',
          'tool-call-start quick',
        ]);
        stream.stop();
      }
    },
  );
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatEvent } from '../../server/events/chat-event.ts';
import type { ChatStream } from '../../server/events/stream.ts';
import {
  callEnd,
  callProgress,
  callStart,
  createReader,
  encodeLine,
  messageEnd,
  openEventPlace,
  textDelta,
  title,
  turnStart,
  type EventPlace,
  type Line,
} from './support.ts';

let place: EventPlace;

beforeAll(async () => {
  place = await openEventPlace();
});

afterAll(() => place?.close());

/** What a client has after some events: texts by message, and the last word of each call. */
type State = Readonly<Record<string, string>>;

function fold(state: State, { event }: Line): State {
  switch (event.type) {
    case 'text-delta':
      return { ...state, [event.messageId]: (state[event.messageId] ?? '') + event.text };
    case 'message-end':
      return { ...state, [event.messageId]: event.text };
    case 'tool-call-start':
      return { ...state, [event.callId]: 'started' };
    case 'tool-call-progress':
      return { ...state, [event.callId]: event.message ?? '' };
    case 'tool-call-end':
      return { ...state, [event.callId]: event.status };
    default:
      return state;
  }
}

async function readAfter(stream: ChatStream, after: number, last: number): Promise<Line[]> {
  const reader = createReader();
  const stop = place.events.hub.subscribe({
    ...{ stream, afterSequence: after, sink: reader.sink, encode: encodeLine },
  });
  while ((reader.lines.at(-1)?.sequence ?? after) < last) {
    await reader.count(reader.lines.length + 1);
  }
  stop();
  return [...reader.lines];
}

/** A turn of one message with a call, as pieces that a test may append together or apart. */
const turn = (name: string, words: readonly string[]): ChatEvent[] => [
  turnStart(name),
  ...words.map((word) => textDelta(name, word)),
  callStart(`${name}-call`),
  callProgress(`${name}-call`, 'half'),
  callProgress(`${name}-call`, 'nearly'),
  callEnd(`${name}-call`),
  ...words.map((word) => textDelta(name, word)),
  messageEnd(name, [...words, ...words].join('')),
];

test('deltas are removed when their message ends, and those of other messages stay', async () => {
  const chat = await place.createChat();
  await place.events.log.append(chat, [turnStart('a'), textDelta('a', '1')]);
  await place.events.log.append(chat, [turnStart('b'), textDelta('b', '2')]);
  await place.events.log.append(chat, [textDelta('a', '3')]);
  await place.events.log.append(chat, [messageEnd('a', '13')]);

  expect(await place.storedNumbers(chat)).toEqual([1, 3, 4, 6]);
});

test('deltas that are given together with the end of their message have numbers, but are not stored', async () => {
  const chat = await place.createChat();
  const last = await place.events.log.append(chat, turn('a', ['x', 'y']));

  expect(last).toBe(10);
  expect(await place.storedNumbers(chat)).toEqual([1, 4, 7, 10]);
});

test('deltas of a message that a later turn goes on with are removed by its end, too', async () => {
  const chat = await place.createChat();
  await place.events.log.append(chat, [turnStart('a'), textDelta('a', '1')]);
  await place.events.log.append(chat, [{ type: 'turn-wait', turnId: 'turn' }]);
  await place.events.log.append(chat, [{ type: 'turn-resume', turnId: 'turn' }]);
  await place.events.log.append(chat, [textDelta('a', '2'), messageEnd('a', '12')]);

  expect(await place.storedNumbers(chat)).toEqual([1, 3, 4, 6]);
});

test('whoever resumes at any number ends with the same state as whoever saw everything live', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom('a', 'ß', '😀 '), { maxLength: 4 }), { maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 }),
      async (messages, sizes) => {
        const chat = await place.createChat();
        const events = [
          title('t'),
          ...messages.flatMap((words, at) => turn(`m${at}`, words)),
          turnStart('open'),
          textDelta('open', 'so far'),
        ];
        const live = createReader();
        const stop = place.events.hub.subscribe({
          ...{ stream: chat, afterSequence: 0, sink: live.sink, encode: encodeLine },
        });
        for (let from = 0, round = 0; from < events.length; round += 1) {
          const size = sizes[round % sizes.length] ?? 1;
          await place.events.log.append(chat, events.slice(from, from + size));
          from += size;
        }
        const seen = await live.count(events.length);
        stop();

        const whole = seen.reduce(fold, {});
        for (let after = 0; after <= events.length; after += 3) {
          const before = seen.slice(0, after).reduce(fold, {});
          const rest = await readAfter(chat, after, events.length);
          expect(rest.reduce(fold, before)).toEqual(whole);
          expect(rest[0]?.previousSequence ?? after).toBe(after);
        }
      },
    ),
    { numRuns: 12, seed: 7 },
  );
});

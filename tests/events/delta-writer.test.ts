import { beforeEach, expect, test } from 'vitest';
import type { TextDelta } from '../../server/events/chat-event.ts';
import {
  createDeltaWriter,
  type Delta,
  type DeltaWriter,
} from '../../server/events/delta-writer.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';

let clock: ManualClock;
let appended: Delta[][];
let writer: DeltaWriter;

const delta = (text: string, more: Partial<TextDelta> = {}): Delta => ({
  ...{ type: 'text-delta', turnId: 't', messageId: 'm', stepIndex: 0, text },
  ...more,
});
const texts = (): string[][] => appended.map((events) => events.map(({ text }) => text));
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  clock = createManualClock();
  appended = [];
  writer = createDeltaWriter({
    clock,
    append: (events) => Promise.resolve(appended.push([...events])),
  });
});

test('the first piece goes out at once, what follows is merged for 50 ms', async () => {
  writer.write(delta('Once'));
  await settle();
  for (const word of [' upon', ' a', ' time']) writer.write(delta(word));
  await settle();
  clock.advance(49);
  await settle();
  expect(texts()).toEqual([['Once']]);

  clock.advance(1);
  await settle();
  expect(texts()).toEqual([['Once'], [' upon a time']]);
});

test('2,048 characters do not wait', async () => {
  writer.write(delta('a'));
  await settle();
  writer.write(delta('b'.repeat(2_047)));
  await settle();
  expect(texts()).toHaveLength(1);

  writer.write(delta('c'));
  await settle();
  expect(texts()[1]).toEqual([`${'b'.repeat(2_047)}c`]);
});

test('pieces of another kind, message or step are not merged, and keep their order', async () => {
  writer.write(delta('a'));
  writer.write(delta('b', { type: 'reasoning-delta' } as never));
  writer.write(delta('c', { stepIndex: 1 }));
  writer.write(delta('d', { stepIndex: 1, messageId: 'n' }));
  await writer.flush();

  const events = appended.flat().map(({ type, messageId, stepIndex, text }) => ({
    ...{ type, messageId, stepIndex, text },
  }));
  expect(events).toEqual([
    { type: 'text-delta', messageId: 'm', stepIndex: 0, text: 'a' },
    { type: 'reasoning-delta', messageId: 'm', stepIndex: 0, text: 'b' },
    { type: 'text-delta', messageId: 'm', stepIndex: 1, text: 'c' },
    { type: 'text-delta', messageId: 'n', stepIndex: 1, text: 'd' },
  ]);
});

test('half of a surrogate pair waits for its other half', async () => {
  writer.write(delta('a\ud83d'));
  await settle();
  writer.write(delta('\ude00b'));
  clock.advance(50);
  await settle();

  expect(texts()).toEqual([['a'], ['😀b']]);
});

test('a half that stays alone goes out with the flush, before the next message', async () => {
  writer.write(delta('a\ud83d'));
  await writer.flush();
  writer.write(delta('b', { messageId: 'n' }));
  await writer.flush();

  expect(appended.flat().map(({ messageId, text }) => [messageId, text])).toEqual([
    ['m', 'a'],
    ['m', '\ud83d'],
    ['n', 'b'],
  ]);
});

test('while one piece is being stored, everything that comes gathers for the next', async () => {
  let finish = (): void => undefined;
  const slow = createDeltaWriter({
    clock,
    append(events) {
      appended.push([...events]);
      return new Promise((resolve) => (finish = () => resolve(0)));
    },
  });
  slow.write(delta('a'));
  await settle();
  for (let index = 0; index < 10; index += 1) {
    slow.write(delta(`${index}`));
    clock.advance(50);
  }
  await settle();
  expect(texts()).toEqual([['a']]);

  finish();
  await settle();
  expect(texts()).toEqual([['a'], ['0123456789']]);
});

test('flush stores what waits and resolves after it is stored', async () => {
  writer.write(delta('a'));
  writer.write(delta('b'));
  await writer.flush();

  expect(texts().flat().join('')).toBe('ab');
  expect(clock.pendingCount).toBe(0);
});

test('flush throws what storing threw since the last one, once', async () => {
  let isBroken = true;
  const failing = createDeltaWriter({
    clock,
    append: () => (isBroken ? Promise.reject(new Error('Disk full.')) : Promise.resolve(0)),
  });
  failing.write(delta('a'));
  await expect(failing.flush()).rejects.toThrow('Disk full.');

  isBroken = false;
  failing.write(delta('b'));
  await expect(failing.flush()).resolves.toBeUndefined();
});

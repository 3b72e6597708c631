import { expect, test } from 'vitest';
import { createSharedServices } from '../../server/executor/shared-services.ts';
import { createManualClock } from '../support/clock.ts';

test('a cached value is there until its time is over, and is nobody’s to change', async () => {
  const clock = createManualClock();
  const { cache } = createSharedServices({ clock });
  const value = { list: [1] };
  await cache.set('key', value, 1_000);
  value.list.push(2);

  expect(await cache.get('key')).toEqual({ list: [1] });
  clock.advance(1_000);
  expect(await cache.get('key')).toBeUndefined();
});

test('a value that is too large is refused with its size', async () => {
  const { cache } = createSharedServices({ clock: createManualClock() });

  await expect(cache.set('key', 'x'.repeat(1_000_001), 1_000)).rejects.toThrow('1000003');
});

test('turns of one key are apart, in order of arrival, and those of another key are free', async () => {
  const clock = createManualClock();
  const { pace } = createSharedServices({ clock });
  const order: string[] = [];
  const take = (name: string, key: string) => pace(key, 3_000).then(() => void order.push(name));
  const all = [take('first', 'a'), take('second', 'a'), take('third', 'a'), take('other', 'b')];
  await Promise.all([all[0], all[3]]);
  expect(order).toEqual(['first', 'other']);

  clock.advance(3_000);
  await all[1];
  expect(order).toEqual(['first', 'other', 'second']);
  clock.advance(3_000);
  await all[2];
  expect(order.at(-1)).toBe('third');
});

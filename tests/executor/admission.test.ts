import { expect, test } from 'vitest';
import { createAdmission } from '../../server/executor/admission.ts';

/** Enters and notes when the place is had. */
async function enter(
  admission: ReturnType<typeof createAdmission>,
  person: string,
  order: string[],
): Promise<() => void> {
  const release = await admission.enter(person)!.admitted;
  if (typeof release === 'string') throw new Error(`${person} got no place: ${release}.`);
  order.push(person);
  return release;
}

test('people take turns, however many calls one of them has waiting', async () => {
  const admission = createAdmission({ places: 1, queueLimit: 10 });
  const order: string[] = [];
  const first = await enter(admission, 'greedy', order);
  const waiting = ['greedy', 'greedy', 'greedy', 'modest'].map((person) =>
    enter(admission, person, order).then((release) => release()),
  );
  first();
  await Promise.all(waiting);

  expect(order).toEqual(['greedy', 'greedy', 'modest', 'greedy', 'greedy']);
});

test('a place that is given back twice is one place', async () => {
  const admission = createAdmission({ places: 1, queueLimit: 10 });
  const release = await enter(admission, 'a', []);
  release();
  release();

  expect(admission.counts().busy).toBe(0);
});

test('whoever leaves the queue makes room in it', async () => {
  const admission = createAdmission({ places: 1, queueLimit: 1 });
  await admission.enter('a')!.admitted;
  const waiting = admission.enter('b')!;
  expect(admission.enter('c')).toBeNull();
  waiting.leave();

  expect(await waiting.admitted).toBe('left');
  expect(admission.enter('c')).not.toBeNull();
  expect(admission.counts()).toEqual({ busy: 1, queued: 1, refused: 1 });
});

test('whoever fills the queue makes room for somebody who has less in it', async () => {
  const admission = createAdmission({ places: 1, queueLimit: 3 });
  await admission.enter('greedy')!.admitted;
  const waiting = [1, 2, 3].map(() => admission.enter('greedy')!);
  expect(admission.enter('greedy')).toBeNull();

  expect(admission.enter('modest')).not.toBeNull();
  expect(await waiting[2]!.admitted).toBe('refused');
  // Now both would have the same: nobody is sent away for it.
  expect(admission.enter('modest')).toBeNull();
  expect(admission.counts()).toEqual({ busy: 1, queued: 3, refused: 3 });
});

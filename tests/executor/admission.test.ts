import { expect, test } from 'vitest';
import { createAdmission } from '../../server/executor/admission.ts';

/** Enters and notes when the place is had. */
async function enter(
  admission: ReturnType<typeof createAdmission>,
  person: string,
  order: string[],
): Promise<() => void> {
  const release = await admission.enter(person)!.admitted;
  order.push(person);
  return release!;
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
  const release = await admission.enter('a')!.admitted;
  release!();
  release!();

  expect(admission.counts().busy).toBe(0);
});

test('whoever leaves the queue makes room in it', async () => {
  const admission = createAdmission({ places: 1, queueLimit: 1 });
  await admission.enter('a')!.admitted;
  const waiting = admission.enter('b')!;
  expect(admission.enter('c')).toBeNull();
  waiting.leave();

  expect(await waiting.admitted).toBeNull();
  expect(admission.enter('c')).not.toBeNull();
  expect(admission.counts()).toEqual({ busy: 1, queued: 1, refused: 1 });
});

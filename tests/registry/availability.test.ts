import { expect, test } from 'vitest';
import { startRegistry, view, waitUntil, type TestRegistry } from './support.ts';

const availabilityOf = (registry: TestRegistry, name: string) =>
  registry.report(name, view())?.gates.find((gate) => gate.name === 'availability');

test('a check that blocks or ends its thread costs no other tool its check', async () => {
  const registry = await startRegistry({ builtIn: 'blocking', probeDeadlineMs: 200 });
  await waitUntil(() => availabilityOf(registry, 'innocent')?.outcome === 'FAIL');
  await waitUntil(() => registry.logged.length === 2);

  expect(availabilityOf(registry, 'blocking_check')).toMatchObject({
    outcome: 'DEFERRED',
    reason: expect.stringContaining('The check gave no answer within 700 ms.') as string,
  });
  expect(availabilityOf(registry, 'exiting_check')).toMatchObject({
    outcome: 'DEFERRED',
    reason: expect.stringContaining('The check ended its thread with exit code 3.') as string,
  });
  await registry.close();
});

test('the registry is there before a check that hangs has ended', async () => {
  const registry = await startRegistry({ probeDeadlineMs: 60_000 });

  expect(availabilityOf(registry, 'hanging_check')).toMatchObject({
    outcome: 'DEFERRED',
    reason: 'hanging_check has not been checked yet.',
  });
  expect(availabilityOf(registry, 'unavailable')?.outcome).toBe('FAIL');
  await registry.close();
});

test('closing waits for no check', async () => {
  const registry = await startRegistry({ probeDeadlineMs: 60_000 });
  const startedAt = performance.now();
  await registry.close();

  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(registry.logged.join()).not.toContain('Tools could not be checked.');
});

import { describe, expect, test } from 'vitest';
import { fixtureFolder, startRegistry, view } from './support.ts';

describe('tool files', () => {
  test('are found in the folder itself, and each tool is listed by its name', async () => {
    const registry = await startRegistry();

    const names = registry.list().map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('a_second_grouped');
    expect(names).not.toContain('helper');
    expect(registry.find('plain')).toMatchObject({
      descriptor: { name: 'plain', source: 'built-in', group: null },
      broken: null,
      isRegistered: true,
    });
    expect(registry.groups().map(({ name }) => name)).toEqual(['Letters', 'Patience']);
    await registry.close();
  });

  test('of the operator need the allowlist, and a built-in default does not help them', async () => {
    const environment = { TOOLS_PATH: fixtureFolder('trouble') };
    const options = { loadDeadlineMs: 500, builtIn: 'clash' } as const;
    const without = await startRegistry({ ...options, environment });
    const named = { ...environment, TOOLS_ALLOWLIST: 'working' };
    const withName = await startRegistry({ ...options, environment: named });

    expect(without.find('working')).toMatchObject({
      isRegistered: false,
      descriptor: { source: 'custom' },
    });
    expect(withName.find('working')?.isRegistered).toBe(true);
    await Promise.all([without.close(), withName.close()]);
  });

  test('of a folder that cannot be read cost nothing but a line in the log', async () => {
    const environment = { TOOLS_PATH: `${fixtureFolder('clash')}/nowhere` };
    const registry = await startRegistry({ environment });

    expect(registry.find('plain')?.isRegistered).toBe(true);
    expect(registry.logged.join()).toMatch(/TOOLS_PATH names .*nowhere, which cannot be read: /);
    await registry.close();
  });

  test('that declare a name a second time are broken, and the first stays', async () => {
    const environment = { TOOLS_PATH: fixtureFolder('clash') };
    const registry = await startRegistry({ environment });

    expect(registry.find('plain')?.descriptor?.source).toBe('built-in');
    expect(registry.find('same-name.ts')?.broken?.reason).toBe(
      'same-name.ts declares plain, but the built-in plain.ts has declared it already; give it another name.',
    );
    expect(registry.find('its_own')?.descriptor).not.toBeNull();
    await registry.close();
  });
});

test('a file that does not load is listed with its reason and costs no other', async () => {
  const registry = await startRegistry({ builtIn: 'trouble', loadDeadlineMs: 2_500 });

  const listed = registry.list().map(({ name, broken }) => [name, broken?.reason ?? null]);
  expect(listed).toEqual([
    ['a-throwing.ts', 'a-throwing.ts cannot be loaded: The dictionary is missing.'],
    ['b-looping.ts', 'b-looping.ts cannot be loaded: it gave no answer within 2500 ms.'],
    ['c-exiting.ts', 'c-exiting.ts cannot be loaded: it ended its thread with exit code 7.'],
    ['d-without-tool.ts', expect.stringContaining('exports no tool')],
    ['working', null],
  ]);
  expect(registry.report('b-looping.ts', view())).toMatchObject({
    stoppedBy: 'installed',
    isActive: false,
    gates: { 0: { outcome: 'FAIL', fix: 'Repair b-looping.ts and check it again.' } },
  });
  expect(registry.logged).toContain('a-throwing.ts cannot be loaded: The dictionary is missing.');
  await registry.close();
});

test('a declaration that is wrong is named with what would be right', async () => {
  const environment = { TOOLS_PATH: fixtureFolder('trouble') };
  const registry = await startRegistry({ environment, loadDeadlineMs: 2_500 });

  expect(registry.find('f-wrong.mjs')?.broken?.reason).toBe(
    'wrong in f-wrong.mjs has concurrencySafe "yes", but it must be true or false.',
  );
  expect(registry.find('e-without-import.mjs')?.broken?.reason).toMatch(
    /^e-without-import\.mjs cannot be loaded: Cannot find module /,
  );
  await registry.close();
});

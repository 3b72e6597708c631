import { expect, test } from 'vitest';
import { startRegistry, view, type TestRegistryOptions } from './support.ts';

/** The gate that stops a tool, with what it says. */
async function askStop(toolName: string, options: TestRegistryOptions) {
  const registry = await startRegistry(options);
  try {
    const report = registry.report(toolName, view());
    const gate = report?.gates.find(({ name }) => name === report.stoppedBy);
    return { by: report?.stoppedBy, reason: gate?.reason, fix: gate?.fix };
  } finally {
    await registry.close();
  }
}

test('the denylist wins over the allowlist', async () => {
  const environment = { TOOLS_ALLOWLIST: 'plain', TOOLS_DENYLIST: 'plain' };

  expect(await askStop('plain', { environment })).toEqual({
    by: 'denylist',
    reason: 'TOOLS_DENYLIST names plain.',
    fix: 'Remove plain from TOOLS_DENYLIST and restart.',
  });
});

test('an allowlist of the operator replaces the default one', async () => {
  const environment = { TOOLS_ALLOWLIST: 'unlisted' };
  const registry = await startRegistry({ environment });

  expect(registry.find('unlisted')?.isRegistered).toBe(true);
  expect(registry.find('plain')?.isRegistered).toBe(false);
  expect(registry.report('plain', view())?.gates[2]).toMatchObject({
    reason: 'TOOLS_ALLOWLIST does not name plain.',
    fix: 'Add plain to TOOLS_ALLOWLIST and restart.',
  });
  await registry.close();
});

test('without an allowlist, only tools of the default list pass', async () => {
  expect(await askStop('unlisted', {})).toEqual({
    by: 'allowlist',
    reason: 'unlisted is not in the default allowlist.',
    fix: 'Add unlisted to TOOLS_ALLOWLIST and restart; once set, that list replaces the default one.',
  });
});

test('request_tool_activation needs no place in the allowlist, but can be denied', async () => {
  const name = 'request_tool_activation';
  const allowed = { environment: { TOOLS_ALLOWLIST: 'plain' } };
  const denied = { environment: { TOOLS_DENYLIST: name } };

  expect(await askStop(name, allowed)).toMatchObject({ by: null });
  expect(await askStop(name, denied)).toMatchObject({ by: 'denylist' });
});

test('a group that is not for everybody has to be named in CUSTOM_TOOL_NAMES', async () => {
  const environment = { CUSTOM_TOOL_NAMES: 'unselectable' };

  expect(await askStop('unselectable', {})).toMatchObject({
    by: 'selectable',
    fix: 'Add unselectable to CUSTOM_TOOL_NAMES and restart.',
  });
  expect(await askStop('unselectable', { environment })).toMatchObject({ by: null });
});

test('a tool that the settings do not admit is not asked whether it is available', async () => {
  const environment = { TOOLS_DENYLIST: 'throwing_check' };
  const registry = await startRegistry({ environment });

  expect(registry.logged.join()).not.toContain('The certificate cannot be read.');
  await registry.close();
});

test('a name in the settings that nothing is installed under is logged', async () => {
  const registry = await startRegistry({ environment: { TOOLS_DENYLIST: 'bash_toll,plain' } });

  expect(registry.logged).toContain(
    'TOOLS_DENYLIST names bash_toll, but no installed tool is called that.',
  );
  expect(registry.logged.join()).not.toContain('names plain');
  await registry.close();
});

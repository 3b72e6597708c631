import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRegistry, view, waitUntil, type TestRegistry } from './support.ts';

let folder: string;
let registry: TestRegistry;
let version = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-recheck-'));
});
afterEach(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});

/** Writes a tool; its check looks for a file called `ready` beside it. */
async function writeTool(parts: { description?: string; body?: string } = {}): Promise<void> {
  const path = join(folder, 'changing.mjs');
  const { description = 'First.', body = '' } = parts;
  const code = `
    import { existsSync } from 'node:fs';
    import { defineTool, object, ok } from 'signalbox/tools';
    ${body}
    export const tool = defineTool({
      name: 'changing',
      description: '${description}',
      parameters: object({}),
      isAvailable: () => existsSync(new URL('ready', import.meta.url)),
      execute: () => ok(null),
    });`;
  await writeFile(path, code);
  version += 1;
  await utimes(path, new Date(), new Date(Date.UTC(2030, 0, 1, 0, 0, version)));
}

const start = () =>
  startRegistry({
    builtIn: 'clash',
    environment: { TOOLS_PATH: folder, TOOLS_ALLOWLIST: 'changing' },
  });

test('a check that is asked again may register a tool, and may withdraw it', async () => {
  await writeTool();
  registry = await start();
  const listener = vi.fn();
  registry.onChange(listener);
  expect(registry.find('changing')?.isRegistered).toBe(false);

  await writeFile(join(folder, 'ready'), '');
  await registry.recheck('changing');
  expect(registry.find('changing')?.isRegistered).toBe(true);
  expect(listener).toHaveBeenCalledTimes(1);

  await rm(join(folder, 'ready'));
  await registry.recheck('changing');
  expect(registry.report('changing', view())?.stoppedBy).toBe('availability');
  expect(registry.find('changing')?.isRegistered).toBe(false);
  expect(listener).toHaveBeenCalledTimes(2);
});

test('the timer asks again without loading the file', async () => {
  await writeTool();
  registry = await start();
  await writeFile(join(folder, 'ready'), '');
  await writeTool({ description: 'Second.' });
  // The checks of the start come first, and a tick that falls among them is left out.
  await waitUntil(() => {
    registry.tick();
    return registry.find('changing')?.isRegistered === true;
  });

  expect(registry.find('changing')?.descriptor?.description).toBe('First.');
});

test('a file that was changed is loaded again', async () => {
  await writeFile(join(folder, 'ready'), '');
  await writeTool();
  registry = await start();
  const before = registry.find('changing')?.descriptor;

  await writeTool({ description: 'Second.' });
  await registry.recheck('changing');

  const after = registry.find('changing')?.descriptor;
  expect(after?.description).toBe('Second.');
  expect(after?.moduleUrl).not.toBe(before?.moduleUrl);
  expect(registry.find('changing')?.isRegistered).toBe(true);
});

test('a file that breaks is withdrawn, and comes back once it is repaired', async () => {
  await writeFile(join(folder, 'ready'), '');
  await writeTool();
  registry = await start();

  await writeTool({ body: 'throw new Error("Half of it is missing.");' });
  await registry.recheck('changing');
  expect(registry.find('changing')).toBeNull();
  expect(registry.find('changing.mjs')?.broken?.reason).toBe(
    'changing.mjs cannot be loaded: Half of it is missing.',
  );

  await writeTool({ description: 'Repaired.' });
  await registry.recheck('changing.mjs');
  expect(registry.find('changing.mjs')).toBeNull();
  expect(registry.find('changing')).toMatchObject({
    isRegistered: true,
    descriptor: { description: 'Repaired.' },
  });
});

test('a tool that stays unavailable is not offered while it is checked', async () => {
  await writeTool();
  registry = await start();
  const listener = vi.fn();
  registry.onChange(listener);

  await writeTool({ description: 'Second.' });
  await registry.recheck('changing');

  expect(registry.find('changing')?.descriptor?.description).toBe('Second.');
  expect(listener).not.toHaveBeenCalled();
});

test('a name that nothing is installed under cannot be checked', async () => {
  registry = await start();

  await expect(registry.recheck('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a listener that was taken back is not told', async () => {
  await writeTool();
  registry = await start();
  const listener = vi.fn();
  registry.onChange(listener)();

  await writeFile(join(folder, 'ready'), '');
  await registry.recheck('changing');

  expect(registry.find('changing')?.isRegistered).toBe(true);
  expect(listener).not.toHaveBeenCalled();
});

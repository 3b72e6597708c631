import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { readConfig, toolSettings } from '../../server/config.ts';
import { createToolExecutor } from '../../server/executor/tool-executor.ts';
import type { CallOutcome } from '../../server/executor/tool-call.ts';
import { createLog } from '../../server/log.ts';
import type { ToolRegistry } from '../../server/registry/registry.ts';
import { createToolRegistry } from '../../server/registry/tool-registry.ts';
import { createToolContext } from '../support/tool-context.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const log = createLog({ level: 'silent' });

let guide: string;
let folder: string;
let warehouse: Server;

/** The code of the guide whose first line names the file. */
function codeOf(file: string): string {
  const found = guide.split('```ts\n').find((block) => block.startsWith(`// my-tools/${file}\n`));
  if (found === undefined) throw new Error(`The guide has no ${file}.`);
  return found.split('\n```')[0]!;
}

beforeAll(async () => {
  guide = await readFile(join(PROJECT, 'docs/adding-a-tool.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'signalbox-guide-'));
  for (const file of ['stock-level.ts', 'stock-level.test.ts']) {
    await writeFile(join(folder, file), codeOf(file));
  }
  warehouse = createServer(({ url }, response) => {
    if (url === '/articles/hammer') response.end('{"pieces": 12}');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => warehouse.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  delete process.env['WAREHOUSE_URL'];
  warehouse.closeAllConnections();
  warehouse.close();
  await rm(folder, { recursive: true });
});

/** Settings as the guide exports them. */
function readGuideConfig() {
  const allowlist = /TOOLS_ALLOWLIST=(\S+)/.exec(guide)?.[1] ?? '';
  return readConfig({ TOOLS_PATH: folder, TOOLS_ALLOWLIST: allowlist, TOOL_THREADS: '1' }).config;
}

function startRegistry(): Promise<ToolRegistry> {
  const config = readGuideConfig();
  return createToolRegistry({ config, settings: toolSettings(config), log, clock: systemClock });
}

async function call(registry: ToolRegistry, input: unknown): Promise<CallOutcome> {
  const config = readGuideConfig();
  const settings = toolSettings(config);
  const executor = createToolExecutor({ registry, config, settings, log, clock: systemClock });
  const host = await createToolContext();
  const nothing = (): void => undefined;
  const [outcome] = await executor.execute({
    scope: { chatId: 'chat', userId: 'user' },
    calls: [{ callId: 'call', toolName: 'stock_level', argumentsText: JSON.stringify(input) }],
    activeTools: new Set(['stock_level']),
    host: () => host.context,
    signal: new AbortController().signal,
    runOnServer: () => Promise.resolve(null),
    observer: {
      ...{ onQueued: nothing, onStart: nothing, onProgress: nothing, onStopping: nothing },
      onEnd: () => Promise.resolve(),
    },
  });
  await Promise.all([executor.close(), host.close()]);
  return outcome as CallOutcome;
}

test('without its setting, the tool of the guide says what is missing', async () => {
  delete process.env['WAREHOUSE_URL'];
  const registry = await startRegistry();

  const report = registry.report('stock_level', {
    ...{ role: 'USER', protocol: 'openai-chat', activeGroups: new Set() },
  });
  expect(report?.gates.find(({ outcome }) => outcome === 'FAIL')).toMatchObject({
    name: 'availability',
    reason: 'WAREHOUSE_URL is not set.',
    fix: 'Set WAREHOUSE_URL to the address of the warehouse and restart.',
  });
  await registry.close();
});

test('the tool of the guide registers beside the built-in ones and answers calls', async () => {
  const { port } = warehouse.address() as AddressInfo;
  process.env['WAREHOUSE_URL'] = `http://127.0.0.1:${port}`;
  const registry = await startRegistry();
  const view = { role: 'USER', protocol: 'openai-chat', activeGroups: new Set<string>() } as const;

  expect(registry.activeNames(view)).toEqual([
    ...['create_file', 'forget_fact', 'remember_fact', 'stock_level', 'view', 'weather_fetch'],
  ]);
  expect((await call(registry, { article: 'hammer', wanted: 20 })).result).toEqual({
    status: 'success',
    data: { article: 'hammer', pieces: 12, enough: false },
  });
  expect((await call(registry, { article: 'saw' })).result).toMatchObject({ code: 'NOT_FOUND' });
  expect((await call(registry, { wanted: 1 })).result).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await registry.close();
});

test('the test of the guide runs as the guide says', async () => {
  await mkdir(join(folder, 'node_modules'));
  await symlink(PROJECT, join(folder, 'node_modules/signalbox'));
  const node = join(folder, 'node_modules/signalbox/node_modules/.bin/node');

  // Inside of a test runner, `--test` would report to that one instead.
  const { NODE_TEST_CONTEXT: _context, ...environment } = process.env;
  const { stdout } = await promisify(execFile)(node, ['--test'], {
    cwd: folder,
    env: environment,
  });

  expect(stdout).toMatch(/pass 1\n/);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { createModelCatalogue } from '../../server/models/model-catalogue.ts';
import { listSources } from '../../server/models/model-sources.ts';
import { startFakeModelServer, type FakeModelServer } from '../support/fake-model-server.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startModels(...models: readonly string[]): Promise<FakeModelServer> {
  const server = await startFakeModelServer({ models });
  closers.push(() => server.close());
  return server;
}

/** A server that answers every request for a list alike. */
async function startAnswering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const createCatalogue = (environment: Readonly<Record<string, string>>) =>
  createModelCatalogue({
    config: readConfig({ MODEL_DISCOVERY_URLS: 'none', ...environment }).config,
    log: createLog({ level: 'silent' }),
  });

test('without any setting there is the model direct', async () => {
  const catalogue = createCatalogue({});
  await catalogue.refresh();

  expect(catalogue.list().map(({ id }) => id)).toEqual(['direct']);
  expect(catalogue.defaultModelId()).toBe('direct');
});

test('models of all providers are listed, direct last', async () => {
  const compatible = await startModels('small', 'large');
  const anthropic = await startModels('thinker');
  const router = await startModels('maker/one');
  const catalogue = createCatalogue({
    ...compatible.environment(),
    ...anthropic.environment('anthropic-messages'),
    ...{ OPENROUTER_API_KEY: 'key', OPENROUTER_BASE_URL: `${router.origin}/v1` },
  });
  await catalogue.refresh();

  expect(catalogue.list().map(({ id, protocol }) => [id, protocol])).toEqual([
    ['openai-compatible/small', 'openai-chat'],
    ['openai-compatible/large', 'openai-chat'],
    ['anthropic/thinker', 'anthropic-messages'],
    ['openrouter/maker/one', 'openai-chat'],
    ['direct', 'direct'],
  ]);
  expect(catalogue.defaultModelId()).toBe('openai-compatible/small');
  expect(catalogue.find('openrouter/maker/one')).toMatchObject({ model: 'maker/one' });
});

test('OpenAI itself is spoken with by Responses, a compatible server by Chat Completions', () => {
  const protocolOf = (environment: Readonly<Record<string, string>>) =>
    listSources(readConfig({ MODEL_DISCOVERY_URLS: 'none', ...environment }).config)[0]?.protocol;

  expect(protocolOf({ OPENAI_API_KEY: 'key' })).toBe('openai-responses');
  expect(protocolOf({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })).toBe('openai-chat');
  expect(protocolOf({ OPENAI_API_KEY: 'key', OPENAI_PROTOCOL: 'chat' })).toBe('openai-chat');
});

test('local servers are found, and those that are not there are left out', async () => {
  const local = await startModels('llama');
  const gone = await startFakeModelServer();
  await gone.close();
  const catalogue = createCatalogue({
    MODEL_DISCOVERY_URLS: `${local.origin}/v1,${gone.origin}/v1`,
  });
  await catalogue.refresh();

  const ids = catalogue.list().map(({ id }) => id);
  expect(ids).toEqual([expect.stringMatching(/^local-127-0-0-1-\d+\/llama$/), 'direct']);
  expect(catalogue.adapter(ids[0]!).protocol).toBe('openai-chat');
});

test('the usual local servers go by their names on this machine only', () => {
  const urls = ['127.0.0.1:11434', 'localhost:8080', '127.0.0.1:1234', '192.0.2.7:11434'];
  const environment = { MODEL_DISCOVERY_URLS: urls.map((host) => `http://${host}/v1`).join(',') };

  expect(listSources(readConfig(environment).config).map(({ id }) => id)).toEqual([
    ...['ollama', 'llama.cpp', 'lm-studio', 'local-192-0-2-7-11434'],
  ]);
});

test.each([
  ['refuses the key', 401, '{}', /refused the key \(401\)/],
  ['fails', 500, 'oh no', /answered with 500/],
  ['sends no JSON', 200, '<html>', /no JSON/],
  ['sends no list', 200, '{"error": "no"}', /sent no list/],
  ['has no model', 200, '{"data": []}', /lists no model/],
])('a provider that %s is shown with the reason', async (...row) => {
  const [, status, body, reason] = row;
  const url = await startAnswering(status, body);
  const catalogue = createCatalogue({ OPENAI_BASE_URL: url });
  await catalogue.refresh();
  const [model] = catalogue.list();

  expect(model).toMatchObject({
    id: 'openai-compatible/default',
    unavailableReason: expect.stringMatching(reason) as string,
  });
  expect(catalogue.defaultModelId()).toBe('direct');
});

test('a provider that comes back is offered after the next refresh', async () => {
  const first = await startFakeModelServer({ models: ['one'] });
  const port = Number(new URL(first.origin).port);
  await first.close();
  const catalogue = createCatalogue(first.environment());
  await catalogue.refresh();
  const reason = catalogue.list()[0]!.unavailableReason;
  const second = await startFakeModelServer({ port, models: ['one', 'two'] });
  closers.push(() => second.close());
  await catalogue.refresh();

  expect(reason).toMatch(/cannot be reached/);
  expect(catalogue.list().map(({ id }) => id)).toEqual([
    ...['openai-compatible/one', 'openai-compatible/two', 'direct'],
  ]);
});

test('MODELS decides what is offered and in which order, also before any list is read', () => {
  const catalogue = createCatalogue({
    ...{ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', ANTHROPIC_API_KEY: 'key' },
    MODELS: 'anthropic/b,openai-compatible/a,elsewhere/c',
  });

  expect(catalogue.list().map(({ id }) => id)).toEqual([
    ...['anthropic/b', 'openai-compatible/a', 'elsewhere/c', 'direct'],
  ]);
  expect(catalogue.defaultModelId()).toBe('anthropic/b');
  expect(catalogue.find('elsewhere/c')!.unavailableReason).toContain('"elsewhere"');
  expect(catalogue.find('anthropic/b')!.unavailableReason).toBeNull();
});

test('a model of a provider that is not set up cannot be spoken with', () => {
  expect(() => createCatalogue({}).adapter('openai/gpt')).toThrow(
    expect.objectContaining({ code: 'UNAVAILABLE' }) as Error,
  );
});

test('a list without an end is not read to its end', async () => {
  const entry = JSON.stringify({ id: 'x'.repeat(150) });
  const url = await startAnswering(200, `{"data": [${`${entry},`.repeat(60_000)}${entry}]}`);
  const catalogue = createCatalogue({ OPENAI_BASE_URL: url });
  await catalogue.refresh();

  expect(catalogue.list()[0]!.unavailableReason).toContain('more than 8000000 bytes');
});

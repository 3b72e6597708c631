import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startFakeModelServer, type FakeModelServer } from '../support/fake-model-server.ts';
import { flowTools } from '../support/flow-tools.ts';

const EXAMPLE = fileURLToPath(new URL('../../docs/examples/chat-client.mjs', import.meta.url));
const run = promisify(execFile);

let models: FakeModelServer;
let app: TestApp;

beforeAll(async () => {
  models = await startFakeModelServer();
  app = await startTestApp({ environment: { ...flowTools, ...models.environment('openai-chat') } });
  await app.catalogue.refresh();
});

afterAll(async () => {
  await app?.close();
  await models?.close();
});

test('the client of the API guide prints the answer, its calls and its end', async () => {
  const { key } = await app.signUp();
  models.script(
    { text: ['Let me ', 'see.'], calls: [{ id: 'x1', name: 'echo', arguments: '{"value":"hi"}' }] },
    { text: ['It says hi.'] },
  );
  const { stdout } = await run(process.execPath, [EXAMPLE, 'What does it say?'], {
    env: { ...process.env, SIGNALBOX_URL: app.url, SIGNALBOX_KEY: key },
  });

  expect(stdout).toContain('Let me see.');
  expect(stdout).toMatch(/\[echo runs\]\n\[echo: SUCCESS in \d+ ms\]/);
  expect(stdout).toContain('It says hi.');
  expect(stdout.trimEnd().endsWith('(COMPLETED)')).toBe(true);
});

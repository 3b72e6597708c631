import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';

const TOO_LARGE = 5_000_000;

let app: TestApp;
let person: TestPerson;

beforeAll(async () => {
  app = await startTestApp({ environment: { UPLOAD_MAX_BYTES: '1000000' } });
  person = await app.signUp();
});

afterAll(() => app?.close());

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const send = (agent: Agent, { method, path, headers = {}, body }: Sending): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = {
      ...{ agent, method, timeout: 3_000 },
      headers: { authorization: `Bearer ${person.key}`, ...headers },
    };
    const sent = request(`${app.url}${path}`, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.once('timeout', () => sent.destroy(new Error(`No answer to ${method} ${path}.`)));
    sent.end(body);
  });

test.each([
  ['upload', '/uploads', { 'x-file-name': 'large.bin', 'content-type': 'text/plain' }],
  ['operation', '/graphql', { 'content-type': 'application/json' }],
])(
  'a connection still serves the next request after a refused %s',
  async (_what, path, headers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });

    expect(await send(agent, { method: 'POST', path, headers, body: 'x'.repeat(TOO_LARGE) })).toBe(
      400,
    );
    expect(await send(agent, { method: 'GET', path: '/healthz' })).toBe(200);
    agent.destroy();
  },
);

test('a document that is too deep for the parser is the mistake of the caller', async () => {
  const levels = 20_000;
  const { errors } = await person.ask(`${'{viewer'.repeat(levels)}{id}${'}'.repeat(levels)}`);

  expect(errors?.[0]?.message).toContain('2000 tokens');
  expect(errors?.[0]?.extensions?.['code']).not.toBe('INTERNAL');
});

test('the sign U+0000 in an id or a name is the mistake of the caller', async () => {
  const answers = [
    await person.ask('query ($id: ID!) { chat(id: $id) { id } }', { id: '\0' }),
    await person.ask('mutation ($name: String!) { createApiKey(name: $name) { key } }', {
      name: 'a\0',
    }),
  ];
  for (const { errors } of answers) expect(errors?.[0]?.extensions?.['code']).toBe('BAD_INPUT');
  const file = { method: 'GET', path: '/generated-files/x/%00' };
  expect(await send(new Agent(), file)).toBe(400);
});

test('a JSON value of any depth is answered with what is allowed, in both lanes', async () => {
  const operator = await app.signUp('OPERATOR', 'Deep');
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const query =
    'mutation ($name: String!, $input: JSON!) { runTool(name: $name, arguments: $input) { id } }';
  const ask = async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator.key}`, 'content-type': 'application/json' },
      body: `{"query":${JSON.stringify(query)},"variables":{"name":"view","input":${deep}}}`,
    });
    const { errors } = (await response.json()) as {
      errors: { message: string; extensions: { code: string } }[];
    };
    return errors[0];
  };
  const [first, second, third] = [await ask(), await ask(), await ask()];

  expect(first?.message).toContain('nested 100 levels deep at most');
  expect([first, second, third].map((error) => error?.extensions.code)).toEqual(
    Array(3).fill('BAD_INPUT'),
  );
});

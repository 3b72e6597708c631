import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ModelError } from '../../server/models/model.ts';
import {
  answer,
  call,
  createPause,
  reasoning,
  refusal,
  startFakeModelServer,
  type FakeModelServer,
  type FakePiece,
} from '../support/fake-model-server.ts';
import { ask, askInVain, createTestAdapter, PROTOCOLS, requestOf, user } from './ask.ts';

let models: FakeModelServer;

beforeAll(async () => {
  models = await startFakeModelServer();
});

afterEach(() => models.reset());

afterAll(() => models?.close());

describe.each(PROTOCOLS)('a step over %s that fails', (protocol) => {
  const create = (idleTimeoutMs?: number) =>
    createTestAdapter(
      protocol,
      models.origin,
      idleTimeoutMs === undefined ? {} : { idleTimeoutMs },
    );

  test.each([
    [429, 'rate-limit', true],
    [500, 'server', true],
    [502, 'server', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
    [408, 'bad-request', true],
    [400, 'bad-request', false],
    [401, 'authentication', false],
    [403, 'authentication', false],
    [404, 'not-found', false],
    [413, 'context-length', false],
  ] as const)('with status %i has the kind %s, and retrying is worth it: %s', async (...row) => {
    const [status, kind, isRetryable] = row;
    models.script(refusal(status, 'As planned.'));
    const { error } = await askInVain(create());

    expect(error).toBeInstanceOf(ModelError);
    expect({ kind: error.kind, isRetryable: error.isRetryable }).toEqual({ kind, isRetryable });
    expect(models.requests).toHaveLength(1);
  });

  test('tells how long the provider wants to be left alone', async () => {
    models.script(
      refusal(429, 'Slow down.', { 'retry-after': '7' }),
      refusal(429, 'Slow down.', { 'retry-after-ms': '250' }),
      refusal(429, 'Slow down.'),
    );
    const waits: (number | null)[] = [];
    for (let index = 0; index < 3; index += 1) {
      waits.push((await askInVain(create())).error.retryAfterMs);
    }

    expect(waits).toEqual([7_000, 250, null]);
  });

  test('for lack of money is not tried again', async () => {
    models.script(refusal(429, 'You exceeded your quota: insufficient_quota.'));

    expect((await askInVain(create())).error.isRetryable).toBe(false);
  });

  test.each([
    "This model's maximum context length is 8192 tokens.",
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Your input exceeds the context window of this model.',
  ])('because the chat is too long says so: %s', async (message) => {
    models.script(refusal(400, message));

    expect((await askInVain(create())).error.kind).toBe('context-length');
  });

  test('never repeats a key that the provider put into its message', async () => {
    models.script(refusal(400, 'Wrong key sk-proj-abcdefgh12345678 for Bearer abc.def.'));
    const { error } = await askInVain(create());

    expect(error.message).not.toMatch(/abcdefgh|abc\.def/);
    expect(error.message).toContain('[secret]');
  });

  test('at a server that is not there can be tried again', async () => {
    const gone = await startFakeModelServer();
    await gone.close();
    const { error } = await askInVain(createTestAdapter(protocol, gone.origin));

    expect(error).toMatchObject({ kind: 'network', isRetryable: true });
  });

  test('because the server hung up at once can be tried again', async () => {
    models.script({ silence: 'hang-up' });

    expect((await askInVain(create())).error).toMatchObject({ kind: 'network', isRetryable: true });
  });

  test('because the connection broke midway keeps the text so far', async () => {
    models.script(answer('Half an ', 'ans', { delayMs: 20 }, { cut: true }));
    const { error, text } = await askInVain(create());

    expect({ kind: error.kind, text }).toEqual({ kind: 'network', text: 'Half an ans' });
  });

  test('because the stream ended without its last event is not taken for whole', async () => {
    models.script(answer('Half an ans', { stop: true }));
    const { error, text } = await askInVain(create());

    expect({ kind: error.kind, text }).toEqual({ kind: 'truncated', text: 'Half an ans' });
    expect(error.isRetryable).toBe(true);
  });

  test('because nothing comes at all stalls, and lets go of the connection', async () => {
    models.script({ silence: 'hang' });
    const { error } = await askInVain(create(100));
    await models.requests[0]!.closed;

    expect(error).toMatchObject({ kind: 'stalled', isRetryable: true });
  });

  test('because nothing more comes stalls, and lets go of the connection', async () => {
    models.script(answer('One moment', { hang: true }));
    const { error, text } = await askInVain(create(100));
    await models.requests[0]!.closed;

    expect({ kind: error.kind, text }).toEqual({ kind: 'stalled', text: 'One moment' });
  });

  test('with an event that is no JSON is malformed', async () => {
    models.script(
      answer('So ', { raw: 'event: content_block_delta\ndata: {"choices": [{"del\n\n' }, 'far'),
    );

    expect((await askInVain(create())).error.kind).toBe('malformed');
  });

  test('with a page instead of a stream is malformed and shows how it begins', async () => {
    models.script({
      ...{ status: 200, headers: { 'content-type': 'text/html' } },
      body: `<h1>Sign in</h1>${'x'.repeat(5_000_000)}`,
    });
    const { error } = await askInVain(create());

    expect(error.kind).toBe('malformed');
    expect(error.message).toContain('<h1>Sign in</h1>');
    expect(error.message.length).toBeLessThan(400);
  });

  test.each([
    ['overloaded_error', 'overloaded', true],
    ['rate_limit_error', 'rate-limit', true],
    ['server_error', 'server', true],
    ['invalid_request_error', 'bad-request', false],
    ['context_length_exceeded', 'context-length', false],
  ] as const)('with the error event %s has the kind %s', async (type, kind, isRetryable) => {
    models.script(answer('So far', { error: { type, message: 'As planned.' } }));
    const { error, text } = await askInVain(create());

    expect({ kind: error.kind, isRetryable: error.isRetryable, text }).toEqual({
      ...{ kind, isRetryable, text: 'So far' },
    });
  });

  test.each<[string, FakePiece]>([
    ['text', 'x'.repeat(500_000)],
    ['reasoning', reasoning('x'.repeat(500_000))],
    ['arguments', call('look', `{"city": "${'x'.repeat(5_000_000)}`, { pieceSizes: [500_000] })],
  ])('because it has too much %s ends while it is read', async (_what, piece) => {
    const rest = createPause();
    models.script(answer(...Array.from({ length: 9 }, () => piece), rest.piece));
    const { error } = await askInVain(create());

    expect(error).toMatchObject({ kind: 'malformed', isRetryable: false });
    rest.release();
  });

  test('because it asks for too many calls ends while it is read', async () => {
    models.script(answer(...Array.from({ length: 140 }, () => call('look'))));

    expect((await askInVain(create())).error.message).toContain('128');
  });

  test('because it was aborted throws the reason and closes the connection', async () => {
    const controller = new AbortController();
    const reason = { stopped: 'by a person' };
    models.script(answer('One', { hang: true }));
    const failing = askInVain(create(), controller.signal);
    const request = await models.request(0);
    controller.abort(reason);
    const { error } = await failing;
    await request.closed;

    expect(error).toBe(reason);
    expect(request.wasAborted).toBe(true);
  });

  test('because it was aborted before it began sends nothing', async () => {
    const reason = new Error('Too late.');
    const asking = ask(create(), requestOf([user('Hello.')]), AbortSignal.abort(reason));

    await expect(asking).rejects.toBe(reason);
    expect(models.requests).toEqual([]);
  });

  test('because its reader stops reading closes the connection', async () => {
    models.script(answer('One', 'Two', { hang: true }));
    const { signal } = new AbortController();
    for await (const part of create().stream(requestOf([user('Hello.')]), signal)) {
      if (part.type === 'text-delta') break;
    }
    const [request] = models.requests;
    await request!.closed;

    expect(request!.wasAborted).toBe(true);
  });
});

describe('a step that fails inside its stream', () => {
  test('as OpenRouter tells it, with a status as the code, can be tried again', async () => {
    const error = { code: 502, message: 'Upstream is down.' };
    models.script(answer({ raw: `data: ${JSON.stringify({ error, choices: [] })}\n\n` }));

    expect((await askInVain(createTestAdapter('openai-chat', models.origin))).error).toMatchObject({
      ...{ kind: 'server', isRetryable: true },
    });
  });

  test.each([
    ['rate_limit_exceeded', 'rate-limit', true],
    ['server_error', 'server', true],
    ['context_length_exceeded', 'context-length', false],
    ['invalid_prompt', 'bad-request', false],
  ] as const)(
    'as a response that failed by %s has the kind %s',
    async (code, kind, isRetryable) => {
      const response = { status: 'failed', error: { code, message: 'As planned.' } };
      const event = { type: 'response.failed', sequence_number: 9, response };
      models.script(
        answer(
          { raw: `event: response.failed\ndata: ${JSON.stringify(event)}\n\n` },
          { stop: true },
        ),
      );
      const { error } = await askInVain(createTestAdapter('openai-responses', models.origin));

      expect({ kind: error.kind, isRetryable: error.isRetryable }).toEqual({ kind, isRetryable });
    },
  );
});

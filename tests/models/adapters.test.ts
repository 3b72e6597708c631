import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  answer,
  call,
  reasoning,
  startFakeModelServer,
  type FakeModelServer,
} from '../support/fake-model-server.ts';
import { ask, createTestAdapter, PROTOCOLS, requestOf, stepOf, user } from './ask.ts';

let models: FakeModelServer;

beforeAll(async () => {
  models = await startFakeModelServer();
});

afterEach(() => {
  const { violations } = models;
  expect(violations).toEqual([]);
  models.reset();
});

afterAll(() => models?.close());

describe.each(PROTOCOLS)('a step over %s', (protocol) => {
  const create = () => createTestAdapter(protocol, models.origin);

  test('brings text delta by delta and ends with its reason', async () => {
    models.script(answer('Good ', 'morning', '.'));
    const { parts, finish } = await ask(create());

    expect(parts.slice(0, -1)).toEqual(
      ['Good ', 'morning', '.'].map((text) => ({ type: 'text-delta', text })),
    );
    expect(finish.reason).toBe('stop');
  });

  test('sends the model, the instructions, the tools and the key', async () => {
    models.script('Yes.');
    await ask(create());
    const [request] = models.requests;

    expect(request).toMatchObject({
      ...{ model: 'fake-model', system: 'Be brief.', lastUserText: 'Hello.', toolNames: ['look'] },
      headers: { authorization: 'Bearer sk-test-0123456789' },
    });
  });

  test('brings reasoning apart from text', async () => {
    models.script(answer(reasoning('Let me '), reasoning('think.'), 'Done.'));
    const { reasoning: thought, text } = await ask(create());

    expect({ thought, text }).toEqual({ thought: 'Let me think.', text: 'Done.' });
  });

  test('brings parallel calls whole and in order, however their arguments are cut', async () => {
    const input = { city: 'Ærø 😀', note: 'a "quoted" \\ text' };
    models.script(
      answer(
        'I look.',
        call('look', input, { id: 'c1', pieceSizes: [1] }),
        call('look', {}, { id: 'c2' }),
        call('look', { city: 'B' }, { id: 'c3', pieceSizes: [1_000] }),
      ),
    );
    const { calls, finish } = await ask(create());

    expect(
      calls.map(({ callId, argumentsText }) => [callId, JSON.parse(argumentsText) as unknown]),
    ).toEqual([
      ['c1', input],
      ['c2', {}],
      ['c3', { city: 'B' }],
    ]);
    expect(finish.reason).toBe('tool-calls');
  });

  test('hands on arguments that are no JSON as the model wrote them', async () => {
    models.script(answer(call('look', '{"city": "Ber')));
    const { calls } = await ask(create());

    expect(calls[0]!.argumentsText).toBe('{"city": "Ber');
  });

  test('tells tokens, those from the cache as a part of the input', async () => {
    const usage = { input: 900, output: 70, cached: 600, cacheWritten: 200, reasoning: 20 };
    models.script({ text: ['Yes.'], usage });
    const { finish } = await ask(create());

    expect(finish.usage).toEqual({
      ...{ inputTokens: 900, outputTokens: 70, cachedTokens: 600 },
      reasoningTokens: protocol === 'anthropic-messages' ? null : 20,
    });
  });

  test.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
  ] as const)('tells that it ended by %s', async (finish, reason) => {
    models.script({ text: ['So far'], finish });

    expect((await ask(create())).finish.reason).toBe(reason);
  });

  test('may be empty', async () => {
    models.script(answer());
    const { text, calls, finish } = await ask(create());

    expect({ text, calls, reason: finish.reason }).toEqual({ text: '', calls: [], reason: 'stop' });
  });

  test('is sent back with its reasoning, unchanged, to the family that made it', async () => {
    const adapter = create();
    models.script(
      answer(reasoning('One must look.'), 'I look.', call('look', { city: 'A' }), call('look')),
      answer(reasoning('That was it.'), 'It is A.'),
      'You are welcome.',
    );
    const first = await ask(adapter, requestOf([user('Which?')]));
    const before = [user('Which?'), ...stepOf(adapter, first)];
    const second = await ask(adapter, requestOf(before));
    await ask(adapter, requestOf([...before, ...stepOf(adapter, second), user('Thanks.')]));

    const last = models.requests.at(-1)!;
    expect(last.violation).toBeNull();
    expect(last.text).toContain('One must look.');
    expect(last.text).toContain('That was it.');
  });

  test('is sent to another family without its reasoning', async () => {
    const adapter = create();
    models.script(answer(reasoning('A secret.'), 'I look.', call('look')), 'Done.');
    const first = await ask(adapter, requestOf([user('Which?')]));
    const history = [user('Which?'), ...stepOf(adapter, first)];
    await ask(createTestAdapter(protocol, models.origin, { family: 'other' }), requestOf(history));

    expect(models.requests.at(-1)!.text).not.toContain('A secret.');
    expect(models.requests.at(-1)!.text).toContain('I look.');
  });

  test('that was cut off while it reasoned does not spoil the chat', async () => {
    const adapter = create();
    models.script(
      { pieces: ['Well, ', reasoning('but then')], finish: 'length' },
      { pieces: [reasoning('on and on')], finish: 'length' },
      'Fine.',
    );
    const history = [user('Why?')];
    for (const question of ['Go on.', 'And?']) {
      history.push(...stepOf(adapter, await ask(adapter, requestOf(history))), user(question));
    }

    expect((await ask(adapter, requestOf(history))).text).toBe('Fine.');
  });

  test('with broken arguments and a made-up tool name does not spoil the chat', async () => {
    const adapter = create();
    models.script(answer(call('look', '{"city"'), call('files.read now!', {})), 'Sorry.');
    const first = await ask(adapter, requestOf([user('Go.')]));
    const history = [user('Go.'), ...stepOf(adapter, first)];

    expect((await ask(adapter, requestOf(history))).text).toBe('Sorry.');
  });

  test('joins a character whose halves come in two deltas', async () => {
    models.script(answer('smile \ud83d', '\ude00!'));

    expect((await ask(create())).text).toBe('smile 😀!');
  });

  test('reads characters whose bytes come in two packets', async () => {
    const frames = { 'openai-chat': chatText, 'openai-responses': responsesText };
    const frame =
      protocol === 'anthropic-messages' ? anthropicText('Grüße') : frames[protocol]('Grüße');
    const bytes = Buffer.from(frame);
    const middle = bytes.indexOf(Buffer.from('ü')) + 1;
    models.script(
      answer(
        ...(protocol === 'anthropic-messages' ? [reasoning('Hm.')] : []),
        { raw: bytes.subarray(0, middle) },
        { delayMs: 20 },
        { raw: bytes.subarray(middle) },
      ),
    );

    expect((await ask(create())).text).toBe('Grüße');
  });
});

const chatText = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

const responsesText = (delta: string): string =>
  `event: response.output_text.delta\ndata: ${JSON.stringify({ type: 'response.output_text.delta', delta })}\n\n`;

const anthropicText = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`;

describe('a step over anthropic-messages', () => {
  test('that the provider paused goes on by itself, and counts the tokens of both requests', async () => {
    models.script(
      { text: ['First half [pause]'], finish: 'pause', usage: { input: 100, output: 10 } },
      { text: [' and second.'], usage: { input: 120, output: 15, cached: 90 } },
    );
    const { text, finish } = await ask(createTestAdapter('anthropic-messages', models.origin));

    expect(text).toBe('First half [pause] and second.');
    expect(finish.usage).toMatchObject({ inputTokens: 220, outputTokens: 25, cachedTokens: 90 });
  });

  test('marks for the cache what stays the same: tools, instructions and the history so far', async () => {
    models.script('Yes.');
    await ask(createTestAdapter('anthropic-messages', models.origin));

    expect(models.requests[0]!.text.match(/"cache_control"/g)).toHaveLength(3);
  });
});

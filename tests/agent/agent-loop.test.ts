import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cancelled } from '../../server/agent/stop-conditions.ts';
import { LeaseLostError } from '../../server/agent/turn-store.ts';
import { failed, ok } from '../../server/tools/kit/tool-result.ts';
import {
  answer,
  call,
  reasoning,
  refusal,
  startFakeModelServer,
  type FakeModelServer,
} from '../support/fake-model-server.ts';
import { createLoopRun } from './loop-run.ts';

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

const tools = {
  echo: ({ value }: Readonly<Record<string, unknown>>) => ok({ value }),
  broken: () => failed('FAILED', 'The disk is full.'),
  endless: (_input: unknown, signal: AbortSignal) =>
    new Promise<ReturnType<typeof failed>>((resolve) => {
      signal.addEventListener('abort', () => resolve(failed('CANCELLED', 'It was stopped.')));
    }),
};

/** Lets what is ready run, until `isTrue`. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a turn', () => {
  test('goes on with the results of its calls until the model is done', async () => {
    const run = createLoopRun({ models, tools });
    models.script(
      answer(reasoning('Hm.'), 'I look. ', call('echo', { value: 1 }), call('broken')),
      answer(call('echo', { value: 2 })),
      'That is all.',
    );
    await run.run();

    expect(run.store.ends).toEqual([{ reason: 'COMPLETED', message: '', elapsedMs: 0 }]);
    expect(run.store.finished.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ['reasoning', 'text', 'tool-call', 'tool-call'],
      ['tool-call'],
      ['text'],
    ]);
    expect(models.requests.map(({ toolResults }) => toolResults.length)).toEqual([0, 2, 1]);
    expect(models.requests[1]!.toolResults[1]!.text).toContain('The disk is full.');
    expect(run.deltas.join('')).toBe('Hm.I look. That is all.');
  });

  test('gives results in the order of the calls, whichever ends first', async () => {
    const first = Promise.withResolvers<void>();
    const run = createLoopRun({
      models,
      tools: {
        slow: () => first.promise.then(() => ok('slow')),
        fast: () => {
          setImmediate(() => first.resolve());
          return ok('fast');
        },
      },
    });
    models.script(answer(call('slow'), call('fast')), 'Done.');
    await run.run();

    expect(run.store.outcomes.map(({ result }) => 'data' in result && result.data)).toEqual([
      ...['fast', 'slow'],
    ]);
    expect(models.requests[1]!.toolResults.map(({ text }) => text)).toEqual([
      expect.stringContaining('slow'),
      expect.stringContaining('fast'),
    ]);
  });

  test('stores the tokens and the protocol of each step', async () => {
    const run = createLoopRun({ models });
    models.script({ text: ['Yes.'], usage: { input: 50, output: 5, cached: 40 } });
    await run.run();

    expect(run.store.finished[0]).toMatchObject({
      ...{ protocol: 'openai-chat', family: 'test', complete: true },
      usage: { inputTokens: 50, outputTokens: 5, cachedTokens: 40 },
    });
  });

  test('gives a call a new id where the model’s is empty, odd, or used before', async () => {
    const run = createLoopRun({ models, tools });
    models.script(
      answer(call('echo', {}, { id: 'same' }), call('echo', { value: 1 }, { id: 'same' })),
      answer(call('echo', { value: 2 }, { id: 'same' }), call('echo', {}, { id: 'a b' })),
      'Done.',
    );
    await run.run();
    const ids = run.store.outcomes.map(({ callId }) => callId);

    expect(ids[0]).toBe('same');
    expect(new Set(ids).size).toBe(4);
    expect(ids.slice(1).filter((id) => !/^call_\w{32}$/.test(id))).toEqual([]);
  });

  test('answers a call of an unknown tool and goes on', async () => {
    const run = createLoopRun({ models, tools });
    models.script(answer(call('eco'), call('echo')), 'Done.');
    await run.run();

    expect(run.store.ends[0]!.reason).toBe('COMPLETED');
    expect(models.requests[1]!.toolResults[0]!.text).toContain('UNKNOWN_TOOL');
    expect(run.offered).toEqual([['broken', 'echo', 'endless']]);
  });
});

describe('a turn ends', () => {
  test('at its limit of steps', async () => {
    const run = createLoopRun({ models, tools, config: { turnStepLimit: 3 } });
    models.script([1, 2, 3].map((value) => answer(call('echo', { value }))));
    await run.run();

    expect(run.store.ends[0]).toMatchObject({
      reason: 'STEP_LIMIT',
      message: expect.stringContaining('3 steps') as string,
    });
    expect(models.requests).toHaveLength(3);
    expect(run.store.outcomes).toHaveLength(3);
  });

  test('when one call brings the same result five times, after a warning', async () => {
    const run = createLoopRun({ models, tools });
    models.script(Array.from({ length: 5 }, () => answer(call('echo', { value: 1 }))));
    await run.run();

    expect(run.store.ends[0]).toMatchObject({ reason: 'REPEATED_CALL' });
    const warned = models.requests.map(({ toolResults: [result] }) =>
      Boolean(result?.text.includes('Do not repeat it')),
    );
    expect(warned).toEqual([false, false, false, true, true]);
  });

  test('not when a repeated call brings something new', async () => {
    let count = 0;
    const run = createLoopRun({
      ...{ models, config: { turnStepLimit: 9 } },
      tools: { poll: () => ok({ progress: (count += 1) }) },
    });
    models.script([...Array.from({ length: 6 }, () => answer(call('poll'))), 'Done.']);
    await run.run();

    expect(run.store.ends[0]!.reason).toBe('COMPLETED');
  });

  test('at its deadline, also while a tool runs', async () => {
    const run = createLoopRun({ models, tools, state: { elapsedMs: 50_000 } });
    models.script(answer('Wait.', call('endless')));
    const running = run.run();
    await until(() => run.offered.length === 1);
    run.clock.advance(10_000);
    await running;

    expect(run.store.ends).toEqual([
      {
        ...{ reason: 'DEADLINE', elapsedMs: 60_000 },
        message: expect.stringContaining('60 seconds') as string,
      },
    ]);
    expect(run.store.outcomes[0]!.result).toMatchObject({ code: 'CANCELLED' });
    expect(run.clock.pendingCount).toBe(0);
  });

  test('when a person stops it, and keeps what had been written but no unfinished call', async () => {
    const run = createLoopRun({ models, tools });
    const controller = new AbortController();
    models.script(
      answer('Half an ans', call('echo', '{"value":', { pieceSizes: [3] }), { hang: true }),
    );
    const running = run.run(controller.signal);
    await until(() => run.deltas.length > 0);
    controller.abort(cancelled);
    await running;
    await models.requests[0]!.closed;

    expect(run.store.ends[0]).toMatchObject({ reason: 'CANCELLED' });
    expect(run.store.finished[0]).toMatchObject({
      ...{ complete: false, rawItems: [], parts: [{ type: 'text', text: 'Half an ans' }] },
    });
  });

  test.each([
    ['length', 'OUTPUT_LIMIT'],
    ['content-filter', 'CONTENT_FILTER'],
  ] as const)('when the model ends by %s', async (finish, reason) => {
    const run = createLoopRun({ models });
    models.script({ text: ['So far'], finish });
    await run.run();

    expect(run.store.ends[0]!.reason).toBe(reason);
  });

  test('with a reason when the model says nothing at all', async () => {
    const run = createLoopRun({ models });
    models.script(answer(reasoning('Hm.')));
    await run.run();

    expect(run.store.ends[0]).toMatchObject({
      reason: 'PROVIDER_ERROR',
      message: expect.stringContaining('without a word') as string,
    });
  });

  test('well when the model says nothing more after it has said something', async () => {
    const run = createLoopRun({ models, tools });
    models.script(answer('I note that.', call('echo')), answer());
    await run.run();

    expect(run.store.ends[0]!.reason).toBe('COMPLETED');
  });

  test('when the chat has become too long for the model', async () => {
    const run = createLoopRun({ models });
    models.script(refusal(400, "This model's maximum context length is 8192 tokens."));
    await run.run();

    expect(run.store.ends[0]).toMatchObject({
      reason: 'PROVIDER_ERROR',
      message: expect.stringContaining('too long for this model') as string,
    });
    expect(models.requests).toHaveLength(1);
  });

  test('when its model is not set up any more', async () => {
    const run = createLoopRun({ models, state: { modelId: 'gone/one' } });
    await run.run();

    expect(run.store.ends[0]).toMatchObject({
      reason: 'PROVIDER_ERROR',
      message: 'The model gone/one is not set up any more.',
    });
  });

  test('without a further write once another process has it', async () => {
    const run = createLoopRun({ models, tools: { ...tools, lose: loseLease } });
    models.script(answer(call('lose')));
    await run.run();

    expect(run.store.ends).toEqual([]);
    expect(run.store.outcomes).toEqual([]);

    function loseLease() {
      run.store.loseLease();
      return ok({});
    }
  });

  test('without a word when its lease is lost while the model writes', async () => {
    const run = createLoopRun({ models });
    const controller = new AbortController();
    models.script(answer('One', { hang: true }));
    const running = run.run(controller.signal);
    await until(() => run.deltas.length > 0);
    run.store.loseLease();
    controller.abort(new LeaseLostError('Another process has it.'));
    await running;

    expect(run.store.ends).toEqual([]);
  });

  test('with an error number, and not its text, when the server itself fails', async () => {
    const run = createLoopRun({
      ...{ models, tools: { ...tools, fault: () => Promise.reject(new Error('secret detail')) } },
    });
    models.script(answer(call('fault')));
    await run.run();

    expect(run.store.ends[0]).toMatchObject({
      reason: 'FAILED',
      message: expect.stringMatching(
        /^The answer failed inside the server \(error [0-9a-f-]{36}\)/,
      ) as string,
    });
  });
});

describe('a request that fails', () => {
  test('before its first token is repeated, as late as the provider asks', async () => {
    const run = createLoopRun({ models });
    models.script(refusal(429, 'Slow down.', { 'retry-after': '7' }), refusal(529), 'There.');
    const running = run.run();
    await until(() => run.clock.pendingCount === 2);
    run.clock.advance(6_999);
    expect(models.requests).toHaveLength(1);
    run.clock.advance(1);
    await models.request(1);
    await until(() => run.clock.pendingCount === 2);
    run.clock.advance(1_000);
    await running;

    expect(run.store.ends[0]).toMatchObject({ reason: 'COMPLETED' });
    expect(run.deltas).toEqual(['There.']);
    expect(run.store.finished).toHaveLength(1);
  });

  test('again and again ends the turn with what the provider said', async () => {
    const run = createLoopRun({ models, config: { modelRetries: 1 } });
    models.script(refusal(503), refusal(500, 'The engine is on fire.'));
    const running = run.run();
    await until(() => run.clock.pendingCount === 2);
    run.clock.advance(1_000);
    await running;

    expect(run.store.ends[0]).toMatchObject({
      reason: 'PROVIDER_ERROR',
      message: expect.stringContaining('The engine is on fire.') as string,
    });
    expect(models.requests).toHaveLength(2);
  });

  test('after its first token is not repeated, and the text is kept', async () => {
    const run = createLoopRun({ models });
    models.script(answer('Half an ans', { delayMs: 10 }, { cut: true }));
    await run.run();

    expect(run.store.ends[0]!.reason).toBe('PROVIDER_ERROR');
    expect(run.store.finished[0]).toMatchObject({
      ...{ complete: false, parts: [{ type: 'text', text: 'Half an ans' }] },
    });
    expect(models.requests).toHaveLength(1);
  });

  test('is not repeated any more once the turn is stopped', async () => {
    const run = createLoopRun({ models });
    const controller = new AbortController();
    models.script(refusal(503));
    const running = run.run(controller.signal);
    await until(() => run.clock.pendingCount === 2);
    controller.abort(cancelled);
    await running;

    expect(run.store.ends[0]!.reason).toBe('CANCELLED');
    expect(run.clock.pendingCount).toBe(0);
  });
});

describe('a turn that asks a person', () => {
  const question = (group: string) =>
    call('request_tool_activation', { group, reason: 'Because.' });

  test('is let go of, and goes on from the store once it is answered', async () => {
    const run = createLoopRun({ models, tools, groups: ['shopping'] });
    models.script(answer('May I? ', question('shopping'), call('echo')), 'Thank you.');
    const running = run.run();
    await running;

    expect(run.store.ends).toEqual([]);
    expect(run.store.waits).toHaveLength(1);
    expect(run.store.outcomes).toHaveLength(1);

    const { parts } = run.store.finished[0]!;
    const asked = parts.find((part) => part.type === 'tool-call')!;
    run.store.answer(asked.callId, { status: 'success', data: { action: 'enabled' } });
    await run.run();

    expect(run.store.ends[0]!.reason).toBe('COMPLETED');
    expect(models.requests[1]!.toolResults.map(({ text }) => text)).toEqual([
      expect.stringContaining('enabled'),
      expect.stringContaining('success'),
    ]);
  });

  test('goes on at once where the answer is known', async () => {
    const run = createLoopRun({ models, tools, groups: ['known'] });
    models.script(answer(question('known')), 'Good.');
    await run.run();

    expect(run.store.waits).toEqual([]);
    expect(run.store.ends[0]!.reason).toBe('COMPLETED');
  });

  test('does not count the time of waiting towards its deadline', async () => {
    const run = createLoopRun({ models, tools, groups: ['shopping'] });
    models.script(answer(question('shopping')), answer('Well. ', call('endless')));
    await run.run();
    run.clock.advance(3_600_000);
    const [part] = run.store.finished[0]!.parts;
    if (part?.type === 'tool-call') run.store.answer(part.callId, { status: 'noop' });
    const running = run.run();
    await until(() => run.offered.length === 2);
    run.clock.advance(59_999);
    expect(run.store.ends).toEqual([]);
    run.clock.advance(1);
    await running;

    expect(run.store.ends[0]!.reason).toBe('DEADLINE');
  });

  test('is not offered the question where nothing is left to switch on', async () => {
    const run = createLoopRun({ models, tools });
    models.script('Yes.');
    await run.run();

    expect(models.requests[0]!.toolNames).toEqual(['echo', 'broken', 'endless']);
  });
});

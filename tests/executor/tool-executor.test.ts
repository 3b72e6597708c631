import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallOutcome } from '../../server/executor/tool-call.ts';
import {
  call,
  describeOutcome,
  startTestExecutor,
  type TestExecutor,
  untilTold,
} from './support.ts';

let one: TestExecutor;

beforeAll(async () => {
  one = await startTestExecutor();
});

afterAll(() => one?.close());

const runOne = async (...parameters: Parameters<typeof call>) => {
  const [outcome] = await one.run([call(...parameters)]);
  return { ...describeOutcome(outcome!), outcome: outcome as CallOutcome };
};

describe('arguments', () => {
  test('defaults are filled in, and what the server owns is the server’s whatever was sent', async () => {
    const { model, outcome } = await runOne('a1', 'echo', {
      value: 'hi',
      user_id: 'somebody-else',
      chat_id: 'another-chat',
    });

    expect(model['data']).toMatchObject({
      ...{ value: 'hi', times: 1, user_id: 'person-1', chat: 'chat-1' },
    });
    expect(outcome.arguments).toMatchObject({ times: 1, user_id: 'person-1' });
  });

  test.each([
    ['{"value": 5', 'not valid JSON'],
    ['["value"]', 'must be one JSON object'],
    ['', 'are empty'],
    ['{"value": 5}', 'value'],
    ['{"value": "x", "times": 10}', 'times'],
    ['{"valeu": "x"}', 'value'],
    ['{"old_value": "x"}', '`old_value` is now called `value`.'],
  ])('%s never runs, and the model reads what is wrong', async (text, part) => {
    const { status, code, model, outcome } = await runOne('a2', 'echo', text);

    expect([status, code]).toEqual(['ERROR', 'INVALID_ARGUMENTS']);
    expect(model['message']).toContain(part);
    expect(outcome.startedAt).toBeNull();
  });

  test('a null where an optional value could be counts as absent', async () => {
    const { status, model } = await runOne('a3', 'echo', { value: 'x', times: null });

    expect([status, (model['data'] as { times: number }).times]).toEqual(['SUCCESS', 1]);
  });

  test('a schema that may take for ever is checked in the thread, which can be ended', async () => {
    const right = await runOne('a4', 'patterned', { value: 'aaa' });
    const wrong = await runOne('a5', 'patterned', { value: 'b' });

    expect(right.status).toBe('SUCCESS');
    expect([wrong.status, wrong.code]).toEqual(['ERROR', 'INVALID_ARGUMENTS']);
  });

  test('an unknown name is answered with the one that was probably meant', async () => {
    const { code, model } = await runOne('a6', 'ecko', { value: 'x' });

    expect(code).toBe('UNKNOWN_TOOL');
    expect(model['message']).toContain('Did you mean echo?');
  });

  test('a tool whose schema was not sent does not run, however well the call is made', async () => {
    const [outcome] = await one.run([call('a7', 'echo', { value: 'x' })], {
      activeTools: new Set(['cached']),
    });

    expect(describeOutcome(outcome!).code).toBe('INACTIVE_TOOL');
  });
});

describe('results', () => {
  test('the hint of the result’s mode goes along, or the general one', async () => {
    const plain = await runOne('b1', 'echo', { value: 'x' });
    const loud = await runOne('b2', 'echo', { value: 'LOUD' });

    expect(plain.model['system_hint']).toBe('Say it in your own words.');
    expect(loud.model['system_hint']).toBe('Say it loudly.');
  });

  test.each(['nothing', 'circle', 'data'])('what is no result (%s) is told as one', async (how) => {
    const { status, code } = await runOne('b3', 'wrong', { how });

    expect([status, code]).toEqual(['ERROR', 'INVALID_RESULT']);
  });

  test('an output over the limit is kept whole as a file, and the model reads its beginning and where it is', async () => {
    const { code, model, outcome } = await runOne('b4', 'large', { characters: 60_000 });

    expect(code).toBe('OUTPUT_TOO_LARGE');
    expect(outcome.outputCharacters).toBeGreaterThan(60_000);
    expect(JSON.stringify(model).length).toBeLessThan(4_000);
    expect(model['data']).toMatchObject({
      file: 'large-output.json',
      code_interpreter_path: '/mnt/data/generated/large-output.json',
    });
    const kept = one.files.find(({ label }) => label === 'large-output.json')!;
    expect(JSON.parse(Buffer.from(kept.content as Uint8Array).toString())).toMatchObject({
      data: { text: 'x'.repeat(60_000) },
    });
  });

  test('the results of one step share their room', async () => {
    const calls = Array.from({ length: 4 }, (_, index) =>
      call(`c${index}`, 'large', { characters: 2_500 }),
    );
    const outcomes = await one.run(calls);

    expect(outcomes.map((outcome) => describeOutcome(outcome).code)).toEqual(
      Array(4).fill('OUTPUT_TOO_LARGE'),
    );
  });

  test('outcomes come in call order, whichever ends first', async () => {
    const outcomes = await one.run([
      call('d1', 'waiting', { wait_ms: 200 }),
      call('d2', 'echo', { value: 'quick' }),
    ]);

    expect(outcomes.map(({ callId }) => callId)).toEqual(['d1', 'd2']);
    expect(one.told.indexOf('end d2 SUCCESS')).toBeLessThan(one.told.indexOf('end d1 SUCCESS'));
  });
});

describe('limits of time', () => {
  test('a call that stops at its deadline is told as timed out', async () => {
    const { status, code } = await runOne('e1', 'waiting', { wait_ms: 60_000, limit_ms: 100 });

    expect([status, code]).toEqual(['ERROR', 'TIMED_OUT']);
    expect(one.told).toContain('stopping e1');
  });

  test('what a tool answers at its deadline is its result', async () => {
    const { status, model } = await runOne('e2', 'graceful');

    expect([status, model['data']]).toEqual(['SUCCESS', { partial: true }]);
  });

  test('whoever waits for its turn is told at once that there is nothing to wait for', async () => {
    const { code, outcome } = await runOne('e3', 'paced');

    expect(code).toBe('TIMED_OUT');
    expect(JSON.stringify(outcome.result)).not.toContain('by force');
  });

  test('a cancelled call ends as cancelled, and only that one', async () => {
    const both = one.run([
      call('f1', 'waiting', { wait_ms: 60_000 }),
      call('f2', 'waiting', { wait_ms: 300 }),
    ]);
    await untilTold(one, 'start f1');

    expect(one.executor.cancel('chat-1', 'f1')).toBe(true);
    expect((await both).map(({ status }) => status)).toEqual(['CANCELLED', 'SUCCESS']);
    expect(one.executor.cancel('chat-1', 'f1')).toBe(false);
  });

  test('a cancelled step ends its waiting calls too, before they start', async () => {
    const stop = new AbortController();
    const all = one.run(
      ['g1', 'g2', 'g3'].map((id) => call(id, 'waiting', { wait_ms: 60_000 })),
      { signal: stop.signal },
    );
    await untilTold(one, 'start g2');
    stop.abort();

    expect((await all).map(({ status }) => status)).toEqual(Array(3).fill('CANCELLED'));
    expect(one.told).toContain('queued g3');
    expect(one.told).not.toContain('start g3');
  });
});

describe('what a call may ask of the application', () => {
  test('a service that it needs answers, and errors keep their meaning', async () => {
    const kept = await runOne('h1', 'keeper', { what: 'file' });
    const refused = await runOne('h2', 'keeper', { what: 'refused' });

    expect(kept.model['data']).toMatchObject({ label: 'kept.txt' });
    expect([refused.code, refused.model['message']]).toEqual(['FAILED', 'This label is refused.']);
  });

  test('a service that it does not declare is not there', async () => {
    const { code, model } = await runOne('h3', 'keeper', { what: 'fact' });

    expect(code).toBe('FAILED');
    expect(model['message']).toContain('needs do not name "facts"');
  });

  test('all threads share one cache', async () => {
    await one.run([call('i1', 'cached')]);
    await one.run([call('i2', 'waiting', { wait_ms: 50 }), call('i3', 'cached')]);
    const { model } = await runOne('i4', 'cached');

    expect(model['data']).toEqual({ count: 3 });
  });

  test('progress is bounded in number and size', async () => {
    const before = one.progress.length;
    await runOne('j1', 'chatty');
    const reports = one.progress.slice(before);

    expect(reports.length).toBeLessThan(10);
    expect(reports.length).toBeGreaterThan(1);
    for (const { message = '', fraction = 0, data } of reports) {
      expect(message.length).toBeLessThanOrEqual(500);
      expect(fraction).toBeLessThanOrEqual(1);
      expect(data).toBeUndefined();
    }
  });

  test('a thread that a call leaves busy is not used again', async () => {
    const alone = await startTestExecutor({ TOOL_THREADS: '1' });
    const threads: unknown[] = [];
    for (const id of ['k1', 'k2']) {
      const [outcome] = await alone.run([call(id, 'lingering')]);
      threads.push((describeOutcome(outcome!).model['data'] as { thread: number }).thread);
    }
    await alone.close();

    expect(threads[0]).toBeTypeOf('number');
    expect(threads[1]).not.toBe(threads[0]);
  });
});

test('calls beyond the queue are refused, and the model is told to wait', async () => {
  const small = await startTestExecutor({ TOOL_THREADS: '1', TOOL_QUEUE_LIMIT: '1' });
  const outcomes = await small.run(
    ['l1', 'l2', 'l3'].map((id) => call(id, 'waiting', { wait_ms: 100 })),
  );

  expect(outcomes.map((outcome) => describeOutcome(outcome).code)).toEqual([
    null,
    null,
    'OVERLOADED',
  ]);
  expect(small.executor.load()).toMatchObject({ threads: 1, busy: 0, queued: 0, refused: 1 });
  await small.close();
});

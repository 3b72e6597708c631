import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../server/tools/kit/tool-result.ts';
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
  one = await startTestExecutor({ TOOL_THREADS: '4' });
});

afterAll(() => one?.close());

const timesOf = (outcome: unknown) =>
  (outcome as CallOutcome).modelResult['data'] as { startedAt: number; endedAt: number };

describe('a call that misbehaves', () => {
  test.each([
    ['looping', 'TIMED_OUT', 'ended by force'],
    ['exiting', 'CRASHED', 'unknown'],
    ['hungry', 'CRASHED', 'memory'],
    ['forgetful', 'CRASHED', 'Nobody waited for this.'],
    ['throwing', 'FAILED', 'a bare text'],
  ])('%s costs nobody else the result', async (toolName, code, part) => {
    const outcomes = await one.run([
      call(`${toolName}-1`, 'deaf', { wait_ms: 400 }),
      call(`${toolName}-2`, toolName),
      call(`${toolName}-3`, 'echo', { value: 'still here' }),
    ]);
    const [left, bad, right] = outcomes.map(describeOutcome);

    expect([left!.status, right!.status]).toEqual(['SUCCESS', 'SUCCESS']);
    expect([bad!.status, bad!.code]).toEqual(['ERROR', code]);
    expect(bad!.model['message']).toContain(part);
  });

  test('the server thread goes on while a tool holds its own', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const outcomes = await one.run([
      call('held-1', 'looping', { limit_ms: 2_000 }),
      call('held-2', 'looping', { limit_ms: 2_000 }),
      call('held-3', 'hungry'),
      call('held-4', 'exiting'),
    ]);
    delay.disable();
    const elapsedMs = Math.max(...outcomes.map((outcome) => (outcome as CallOutcome).elapsedMs));

    expect(elapsedMs).toBeGreaterThan(2_000);
    // Two cores are shared with two loops and other suites; the bench measures it exactly.
    expect(delay.max / 1e6).toBeLessThan(1_000);
  });

  test('its thread is replaced as often as it takes, and is counted', async () => {
    const before = one.executor.load().killed;
    const outcomes = await one.run(
      Array.from({ length: 6 }, (_, index) => call(`again-${index}`, 'exiting')),
    );
    const [after] = await one.run([call('again-echo', 'echo', { value: 'x' })]);

    expect(outcomes.map((outcome) => describeOutcome(outcome).code)).toEqual(
      Array(6).fill('CRASHED'),
    );
    expect(after!.status).toBe('SUCCESS');
    expect(one.executor.load()).toMatchObject({ killed: before + 6, busy: 0, queued: 0 });
  });

  test('its end is told once, and what it does later changes nothing', async () => {
    const run = one.run([call('late-1', 'deaf', { wait_ms: 600 })]);
    await untilTold(one, 'start late-1');
    one.executor.cancel('chat-1', 'late-1');
    const [outcome] = await run;
    await one.run([call('late-2', 'deaf', { wait_ms: 700 })]);

    expect(describeOutcome(outcome!)).toMatchObject({ status: 'CANCELLED', code: 'CANCELLED' });
    expect(one.told.filter((line) => line.startsWith('end late-1'))).toEqual([
      'end late-1 CANCELLED',
    ]);
  });

  test('it may ask its host a bounded number of times', async () => {
    const [outcome] = await one.run([call('asking-1', 'asking', { times: 2_001 })]);
    const { code, model } = describeOutcome(outcome!);

    expect(code).toBe('FAILED');
    expect(model['message']).toContain('2000 times at most');
  });
});

describe('the calls of a step', () => {
  test('run together where that is safe, the others one by one after them', async () => {
    const outcomes = await one.run([
      call('o1', 'alone'),
      call('o2', 'together', { own: 'left', other: 'right' }),
      call('o3', 'alone'),
      call('o4', 'together', { own: 'right', other: 'left' }),
    ]);
    const [first, left, second, right] = outcomes.map(timesOf);

    expect(outcomes.map(({ callId }) => callId)).toEqual(['o1', 'o2', 'o3', 'o4']);
    expect(first!.startedAt).toBeGreaterThanOrEqual(Math.max(left!.endedAt, right!.endedAt));
    expect(second!.startedAt).toBeGreaterThanOrEqual(first!.endedAt);
  });

  test('that the server answers run beside both, and may wait for a person', async () => {
    const answers = new Map([['p2', null]]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = one.run(
      [
        call('p1', 'request_tool_activation', { group: 'ebay', reason: 'To compare prices.' }),
        call('p2', 'request_tool_activation', { group: 'ebay', reason: 'To compare prices.' }),
        call('p3', 'alone'),
      ],
      {
        async runOnServer({ callId }, input) {
          await promise;
          return answers.has(callId) ? null : ok({ group: input['group'] });
        },
      },
    );
    await untilTold(one, 'end p3 SUCCESS');
    expect(one.told).not.toContain('end p1 SUCCESS');
    resolve();
    const outcomes = await run;

    expect(outcomes.map(({ status }) => status)).toEqual(['SUCCESS', 'WAITING', 'SUCCESS']);
    expect(describeOutcome(outcomes[0]!).model['data']).toEqual({ group: 'ebay' });
    expect(one.told.filter((line) => line.startsWith('end p2'))).toEqual([]);
  });

  test('all come to their end, also when an outcome cannot be stored', async () => {
    const ended: string[] = [];
    const failing = one.run(
      [call('q1', 'echo', { value: 'x' }), call('q2', 'deaf', { wait_ms: 100 })],
      {
        observer: {
          onQueued: () => undefined,
          onStart: () => undefined,
          onProgress: () => undefined,
          onStopping: () => undefined,
          onEnd({ callId }) {
            ended.push(callId);
            return callId === 'q1'
              ? Promise.reject(new Error('The disk is full.'))
              : Promise.resolve();
          },
        },
      },
    );

    await expect(failing).rejects.toThrow('The disk is full.');
    expect(ended).toEqual(['q1', 'q2']);
  });
});

test('the server thread goes on while a call returns megabytes', async () => {
  await one.run([call('r0', 'large', { characters: 10_000 })]);
  const before = process.threadCpuUsage();
  const [outcome] = await one.run([call('r1', 'large', { characters: 20_000_000 })]);
  const { user, system } = process.threadCpuUsage(before);

  expect(describeOutcome(outcome!).model['data']).toMatchObject({ file: 'large-output.json' });
  // Microseconds of this thread for the whole call: no part of it can have blocked for longer.
  expect(user + system).toBeLessThan(50_000);
});

test('an output that is too large to be kept is told with its beginning', async () => {
  const [outcome] = await one.run([call('s1', 'large', { characters: 33_000_000 })]);
  const { code, model } = describeOutcome(outcome!);

  expect(code).toBe('OUTPUT_TOO_LARGE');
  expect(model['message']).toContain('too large to be kept');
  expect((model['data'] as { preview: string }).preview).toHaveLength(2_000);
});

test('a cancel that comes while the tool’s file is loading keeps the tool from running', async () => {
  const fresh = await startTestExecutor({ TOOL_THREADS: '1', TOOL_GRACE_MS: '5000' });
  const stop = new AbortController();
  const run = fresh.run([call('t1', 'deaf', { wait_ms: 60_000 })], { signal: stop.signal });
  await Promise.resolve();
  stop.abort();
  const [outcome] = await run;
  await fresh.close();

  expect(outcome!.status).toBe('CANCELLED');
  expect((outcome as CallOutcome).startedAt).toBeNull();
  expect(JSON.stringify(outcome)).not.toContain('by force');
});

test('closing ends what runs and what waits, in bounded time, and takes nothing new', async () => {
  const closing = await startTestExecutor({ TOOL_THREADS: '2' });
  const run = closing.run([
    call('u1', 'looping', { limit_ms: 60_000 }),
    call('u2', 'waiting', { wait_ms: 60_000 }),
    call('u3', 'waiting', { wait_ms: 60_000 }),
  ]);
  await untilTold(closing, 'start u2');
  await untilTold(closing, 'start u1');
  await closing.close();
  const outcomes = (await run).map(describeOutcome);
  const [late] = await closing.run([call('u4', 'echo', { value: 'x' })]);

  expect([...outcomes, describeOutcome(late!)].map(({ status }) => status)).toEqual(
    Array(4).fill('CANCELLED'),
  );
  expect(outcomes[0]!.model['message']).toContain('by force');
  expect(outcomes[1]!.model['message']).not.toContain('by force');
});

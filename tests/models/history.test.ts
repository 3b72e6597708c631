import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settleCallIds } from '../../server/agent/call-ids.ts';
import { historyOfSteps } from '../../server/agent/history.ts';
import { runModelStep, type ModelStep } from '../../server/agent/model-step.ts';
import type { StoredCall } from '../../server/agent/turn-store.ts';
import type { HistoryEntry, ModelAdapter } from '../../server/models/model.ts';
import {
  call,
  reasoning,
  startFakeModelServer,
  type FakeAnswer,
  type FakeFinish,
  type FakeModelServer,
} from '../support/fake-model-server.ts';
import { createTestAdapter, PROTOCOLS, requestOf, user } from './ask.ts';

let models: FakeModelServer;
let adapters: readonly ModelAdapter[];

beforeAll(async () => {
  models = await startFakeModelServer();
  adapters = PROTOCOLS.flatMap((protocol) =>
    ['one', 'two'].map((family) => createTestAdapter(protocol, models.origin, { family })),
  );
});

afterAll(() => models?.close());

/** Text as people and models write it, and as they should not. */
const anyText = fc.oneof(
  fc.constantFrom('', ' ', '\n\n', '\ud83d', 'x\ude00', '<b>', '{"a":1}', 'Good.'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const anyCall = fc.record({
  name: fc.constantFrom('look', 'no_such_tool', 'files.read', '', 'x'.repeat(90), 'größe'),
  arguments: fc.constantFrom('{}', '{"city":"A"}', '', '{"city', '[1]', 'null', '{"a":"\\ud83d"}'),
  id: fc.constantFrom('', 'same', 'call_1', 'not valid!', 'x'.repeat(60), 'functions.look:0'),
});

const anyStep = fc.record({
  thought: fc.option(anyText),
  texts: fc.array(anyText, { maxLength: 2 }),
  calls: fc.array(anyCall, { maxLength: 3 }),
  finish: fc.constantFrom<FakeFinish | undefined>(undefined, undefined, 'length', 'content-filter'),
});

const anyTurn = fc.record({
  text: anyText,
  /** Replaces the last message and forgets what came after it. */
  isEdit: fc.boolean(),
  adapter: fc.nat({ max: 5 }),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 3 }),
  ending: fc.constantFrom('done', 'done', 'stopped', 'crashed', 'crashed before the calls'),
});

type Turn = typeof anyTurn extends fc.Arbitrary<infer Value> ? Value : never;

const toAnswer = ({ thought, texts, calls, finish }: Turn['steps'][number]): FakeAnswer => ({
  pieces: [
    ...(thought === null ? [] : [reasoning(thought)]),
    ...texts,
    ...calls.map(({ name, arguments: input, id }) => call(name, input, { id, pieceSizes: [3] })),
  ],
  ...(finish === undefined ? {} : { finish }),
});

async function runStep(
  adapter: ModelAdapter,
  history: readonly HistoryEntry[],
): Promise<ModelStep> {
  const step = await runModelStep({
    ...{ adapter, request: requestOf(history), signal: new AbortController().signal },
    place: { turnId: 'turn', messageId: 'message', stepIndex: 0 },
    deltas: { write: () => undefined, flush: () => Promise.resolve() },
    ...{ maxRetries: 0, retryDelay: () => null, sleep: () => Promise.resolve() },
    onRetry: () => undefined,
  });
  if (step.error !== null) throw step.error;
  return step;
}

/** Adds a turn as the loop and the store would have left it. */
async function addTurn(history: HistoryEntry[], turn: Turn, usedIds: Set<string>): Promise<void> {
  const adapter = adapters[turn.adapter]!;
  const lastUser = history.findLastIndex(({ type }) => type === 'user');
  if (turn.isEdit && lastUser >= 0) history.length = lastUser;
  history.push(user(turn.text.toWellFormed()));
  for (const [index, plan] of turn.steps.entries()) {
    models.script(toAnswer(plan));
    const made = await runStep(adapter, history);
    const { parts, areUnchanged } = settleCallIds(made.parts, usedIds);
    const calls = parts.filter((part) => part.type === 'tool-call');
    for (const { callId } of calls) usedIds.add(callId);
    const isLast = index === turn.steps.length - 1;
    const { protocol, family } = adapter;
    const raw = areUnchanged ? { protocol, family, items: made.rawItems } : null;
    if (isLast && turn.ending === 'stopped') {
      const spoken = parts.filter((part) => part.type !== 'tool-call');
      history.push(...historyOfSteps([{ index, parts: spoken, raw: null, calls: [] }]));
      return;
    }
    const isLost = isLast && turn.ending === 'crashed before the calls';
    const hasResult = !isLast || turn.ending === 'done';
    const stored = calls.map((one): StoredCall => ({
      ...one,
      modelResult: hasResult ? { status: 'success' } : null,
      ...{ isError: !hasResult, isWaiting: false },
    }));
    history.push(...historyOfSteps([{ index, parts, raw, calls: isLost ? [] : stored }]));
    if (calls.length === 0) return;
  }
}

test('no history, however it came about, is refused by a provider', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTurn, { minLength: 1, maxLength: 4 }), async (turns) => {
      models.reset();
      const history: HistoryEntry[] = [];
      const usedIds = new Set<string>();
      for (const turn of turns) await addTurn(history, turn, usedIds);
      history.push(user('And in the end?'));
      for (const adapter of adapters) {
        models.script('Good.');
        await runStep(adapter, history);
      }
      expect(models.violations).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

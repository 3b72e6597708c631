import type { CallOutcome } from '../../server/executor/tool-call.ts';
import {
  LeaseLostError,
  type FinishedStep,
  type StoredCall,
  type StoredStep,
  type TurnState,
  type TurnStore,
} from '../../server/agent/turn-store.ts';

type End = Parameters<TurnStore['end']>[1];

/** A turn in memory, with what the loop did to it. */
export interface MemoryTurnStore extends TurnStore {
  /** Steps as the loop finished them. */
  readonly finished: readonly FinishedStep[];
  readonly outcomes: readonly CallOutcome[];
  /** How often the loop let go of the turn, with the milliseconds used up. */
  readonly waits: readonly number[];
  readonly ends: readonly End[];
  /** Marks a call as waiting for a person. */
  markWaiting(callId: string): void;
  /** Gives a waiting call its result, as an answer of the person does. */
  answer(callId: string, modelResult: Readonly<Record<string, unknown>>): void;
  /** From now on each write fails as if another process had taken the turn. */
  loseLease(): void;
}

export function createMemoryTurnStore(start: Partial<TurnState> = {}): MemoryTurnStore {
  const finished: FinishedStep[] = [];
  const outcomes: CallOutcome[] = [];
  const waits: number[] = [];
  const ends: End[] = [];
  const calls = new Map<number, StoredCall[]>();
  let elapsedMs = start.elapsedMs ?? 0;
  let isLost = false;

  const write = <Value>(work: () => Value): Promise<Value> =>
    isLost
      ? Promise.reject(new LeaseLostError('Another process has it.'))
      : Promise.resolve(work());

  const update = (callId: string, change: Partial<StoredCall>): void => {
    for (const list of calls.values()) {
      const index = list.findIndex((call) => call.callId === callId);
      if (index >= 0) list[index] = { ...list[index]!, ...change };
    }
  };

  const storedSteps = (): readonly StoredStep[] =>
    finished.map(({ index, parts, rawItems, protocol, family, complete }) => ({
      ...{ index, parts, calls: calls.get(index) ?? [] },
      raw: complete && rawItems.length > 0 ? { protocol, family, items: rawItems } : null,
    }));

  return {
    ...{ finished, outcomes, waits, ends },
    markWaiting: (callId) => update(callId, { isWaiting: true }),
    answer: (callId, modelResult) => update(callId, { modelResult, isWaiting: false }),
    loseLease: () => void (isLost = true),

    load: (turnId) => {
      const history = [{ type: 'user', text: 'Do it.' }] as const;
      return Promise.resolve({
        ...{ turnId, chatId: 'chat-1', userId: 'user-1', assistantMessageId: 'message-1' },
        ...{ modelId: 'fake/one', timeZone: null, createdAt: new Date(0), history },
        ...{ facts: [], files: [], ...start, elapsedMs, steps: storedSteps() },
      });
    },
    gateView: () =>
      Promise.resolve({ role: 'USER', protocol: 'openai-chat', activeGroups: new Set() }),
    usedCallIds: (_chatId, callIds) => {
      const used = [...calls.values()].flat().map(({ callId }) => callId);
      return Promise.resolve(new Set(callIds.filter((callId) => used.includes(callId))));
    },
    startStep: () => write(() => undefined),
    finishStep: (_state, step) =>
      write(() => {
        finished.push(step);
        const asked = step.parts.filter((part) => part.type === 'tool-call');
        const open = { modelResult: null, isError: false, isWaiting: false };
        calls.set(
          step.index,
          asked.map((call) => ({ ...call, ...open })),
        );
      }),
    endCall: (_state, outcome) =>
      write(() => {
        outcomes.push(outcome);
        const isError = !['SUCCESS', 'NOOP'].includes(outcome.status);
        update(outcome.callId, { modelResult: outcome.modelResult, isError });
      }),
    calls: (_state, index) => Promise.resolve(calls.get(index) ?? []),
    wait: (_state, usedMs) =>
      write(() => {
        const isWaiting = [...calls.values()].flat().some((call) => call.isWaiting);
        if (isWaiting) {
          waits.push(usedMs);
          elapsedMs = usedMs;
        }
        return isWaiting;
      }),
    end: (_state, ending) => write(() => void ends.push(ending)),
  };
}

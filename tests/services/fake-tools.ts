import { outcomeOf } from '../../server/executor/call-outcome.ts';
import type {
  CallOutcome,
  CallWaiting,
  RequestedCall,
  StepExecution,
  ToolExecutor,
} from '../../server/executor/tool-call.ts';
import type { GateReport, GateView } from '../../server/registry/gate.ts';
import type { ToolGroup, ToolRegistry } from '../../server/registry/registry.ts';
import { failed, ok, type ToolResult } from '../../server/tools/kit/tool-result.ts';

const ASK = 'request_tool_activation';
/** Group of each tool; null for those that are always on. */
const TOOLS = new Map([
  ['echo', null],
  [ASK, null],
  ['find_recipe', 'Cooking'],
  ['grocery_find', 'Grocery'],
]);
const GROUPS: readonly ToolGroup[] = ['Cooking', 'Grocery'].map((name) => ({
  name,
  description: `Tools for ${name}.`,
  toolNames: [...TOOLS].filter(([, group]) => group === name).map(([tool]) => tool),
}));

export interface FakeRegistry extends ToolRegistry {
  readonly rechecked: readonly string[];
}

export function createFakeRegistry(): FakeRegistry {
  const rechecked: string[] = [];
  const isOn = (name: string, { activeGroups }: GateView): boolean => {
    const group = TOOLS.get(name) ?? null;
    return group === null || activeGroups === null || activeGroups.has(group);
  };
  return {
    rechecked,
    list: () => [],
    find: () => null,
    groups: () => GROUPS,
    report(name, view): GateReport | null {
      if (!TOOLS.has(name)) return null;
      const isActive = isOn(name, view);
      return { toolName: name, gates: [], isActive, stoppedBy: isActive ? null : 'chat' };
    },
    activeNames: (view) => [...TOOLS.keys()].filter((name) => name !== ASK && isOn(name, view)),
    inactiveGroups: ({ activeGroups }) => GROUPS.filter(({ name }) => !activeGroups?.has(name)),
    modelTools: (names) =>
      names.map((name) => ({ name, description: name, parameters: { type: 'object' } })),
    modelTool: (tool) => tool,
    baseSchema: () => null,
    recheck: (name) => Promise.resolve(void rechecked.push(name)),
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
}

export interface FakeExecutor extends ToolExecutor {
  /** What comes of a call; by default a success with its arguments. */
  answer: (call: RequestedCall, step: StepExecution) => Promise<ToolResult> | ToolResult;
}

/** Runs calls in the test's own hands, and asks the person as the real executor does. */
export function createFakeExecutor(): FakeExecutor {
  const running = new Map<string, (result: ToolResult) => void>();

  async function run(call: RequestedCall, step: StepExecution) {
    const input = JSON.parse(call.argumentsText) as Record<string, unknown>;
    if (call.toolName === ASK) {
      const result = await step.runOnServer(call, input);
      return result === null ? waiting(call) : end(call, step, result);
    }
    const key = `${step.scope.chatId} ${call.callId}`;
    const stopped = new Promise<ToolResult>((resolve) => running.set(key, resolve));
    const stop = (): void => running.get(key)?.(failed('CANCELLED', 'It was cancelled.'));
    step.signal.addEventListener('abort', stop, { once: true });
    const result = await Promise.race([fake.answer(call, step), stopped]);
    running.delete(key);
    return end(call, step, result);
  }

  async function end(call: RequestedCall, step: StepExecution, result: ToolResult) {
    const outcome = outcomeOf(call.callId, result, { startedAt: new Date() });
    await step.observer.onEnd(outcome);
    return outcome;
  }

  const fake: FakeExecutor = {
    answer: (call) => ok({ input: call.argumentsText }),
    execute: (step): Promise<(CallOutcome | CallWaiting)[]> =>
      Promise.all(step.calls.map((call) => run(call, step))),
    cancel(chatId, callId) {
      const stop = running.get(`${chatId} ${callId}`);
      stop?.(failed('CANCELLED', 'It was cancelled.'));
      return stop !== undefined;
    },
    load: () => ({
      ...{ threads: 1, busy: 0, queued: 0, queueLimit: 1, completed: 0, refused: 0, killed: 0 },
    }),
    close: () => Promise.resolve(),
  };
  return fake;
}

const waiting = ({ callId }: RequestedCall): CallWaiting => ({ callId, status: 'WAITING' });

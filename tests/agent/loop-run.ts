import { createAgentLoop, type AgentLoop } from '../../server/agent/agent-loop.ts';
import type { DeltaSink } from '../../server/agent/model-step.ts';
import type { TurnState } from '../../server/agent/turn-store.ts';
import { AppError } from '../../server/errors.ts';
import type {
  CallOutcome,
  CallWaiting,
  RequestedCall,
  StepExecution,
  ToolExecutor,
} from '../../server/executor/tool-call.ts';
import { createLog } from '../../server/log.ts';
import type { ModelAdapter, ModelCatalogue } from '../../server/models/model.ts';
import type { ToolRegistry } from '../../server/registry/registry.ts';
import type { ToolHost } from '../../server/tools/kit/tool-host.ts';
import { failed, ok, toModelResult, type ToolResult } from '../../server/tools/kit/tool-result.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import type { FakeModelServer } from '../support/fake-model-server.ts';
import { createTestAdapter } from '../models/ask.ts';
import { createMemoryTurnStore, type MemoryTurnStore } from './memory-turn-store.ts';

type Tool = (
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ToolResult> | ToolResult;

export interface LoopRun {
  readonly loop: AgentLoop;
  readonly store: MemoryTurnStore;
  readonly clock: ManualClock;
  /** Text of the deltas, in the order in which they came. */
  readonly deltas: string[];
  /** Names that each step offered to the executor. */
  readonly offered: string[][];
  run(signal?: AbortSignal): Promise<void>;
}

export interface LoopRunOptions {
  readonly models: FakeModelServer;
  readonly tools?: Readonly<Record<string, Tool>>;
  readonly state?: Partial<TurnState>;
  readonly config?: Partial<Parameters<typeof createAgentLoop>[0]['config']>;
  /** Groups that could be switched on. */
  readonly groups?: readonly string[];
}

const SCHEMA = { type: 'object', properties: {} };

/** The loop with a real model adapter over HTTP, a store in memory, and tools that are functions. */
export function createLoopRun({ models, ...options }: LoopRunOptions): LoopRun {
  const { tools = {}, groups = [] } = options;
  const clock = createManualClock();
  const store = createMemoryTurnStore(options.state);
  const deltas: string[] = [];
  const offered: string[][] = [];
  const sink: DeltaSink = {
    write: ({ text }) => void deltas.push(text),
    flush: () => Promise.resolve(),
  };
  const loop = createAgentLoop({
    ...{ store, clock, log: createLog({ level: 'silent' }) },
    catalogue: createCatalogue(createTestAdapter('openai-chat', models.origin)),
    registry: createRegistry(Object.keys(tools), groups),
    executor: createExecutor(tools, offered),
    config: {
      ...{ turnStepLimit: 6, turnTimeoutMs: 60_000, modelRetries: 2 },
      ...{ modelMaxOutputTokens: 1_000, ...options.config },
    },
    createDeltaSink: () => sink,
    emit: () => undefined,
    createHost: () => ({}) as ToolHost,
    requestActivation(_state, { callId }, { group }) {
      if (group === 'known') return Promise.resolve(ok({ action: 'enabled' }));
      store.markWaiting(callId);
      return Promise.resolve(null);
    },
  });
  return {
    ...{ loop, store, clock, deltas, offered },
    run: (signal = new AbortController().signal) => loop.run('turn-1', signal),
  };
}

const createCatalogue = (adapter: ModelAdapter): ModelCatalogue => ({
  list: () => [],
  find: () => null,
  defaultModelId: () => 'fake/one',
  adapter(modelId) {
    if (modelId.startsWith('fake/')) return adapter;
    throw new AppError('UNAVAILABLE', `The model ${modelId} is not set up any more.`);
  },
  refresh: () => Promise.resolve(),
});

function createRegistry(names: readonly string[], groups: readonly string[]): ToolRegistry {
  const parts: Partial<ToolRegistry> = {
    activeNames: () => names,
    inactiveGroups: () => groups.map((name) => ({ name, description: '', toolNames: [] })),
    modelTools: (wanted) => wanted.map((name) => ({ name, description: name, parameters: SCHEMA })),
    modelTool: (tool) => tool,
    report: (toolName) => ({ toolName, gates: [], isActive: true, stoppedBy: null }),
  };
  return parts as ToolRegistry;
}

function createExecutor(tools: Readonly<Record<string, Tool>>, offered: string[][]): ToolExecutor {
  const parts: Partial<ToolExecutor> = {
    async execute(step) {
      offered.push([...step.activeTools].sort());
      return Promise.all(step.calls.map((call) => executeCall(tools, step, call)));
    },
  };
  return parts as ToolExecutor;
}

async function executeCall(
  tools: Readonly<Record<string, Tool>>,
  step: StepExecution,
  call: RequestedCall,
): Promise<CallOutcome | CallWaiting> {
  const { callId, toolName, argumentsText } = call;
  const input = JSON.parse(argumentsText) as Readonly<Record<string, unknown>>;
  const result = step.activeTools.has(toolName)
    ? toolName === 'request_tool_activation'
      ? await step.runOnServer(call, input)
      : await tools[toolName]!(input, step.signal)
    : failed('UNKNOWN_TOOL', `There is no tool called ${toolName}.`);
  if (result === null) return { callId, status: 'WAITING' };
  const outcome: CallOutcome = {
    ...{ callId, arguments: input, result, modelResult: toModelResult(result) },
    ...{ queuedMs: 0, elapsedMs: 1, outputCharacters: 2, startedAt: new Date(0) },
    status: result.status === 'error' ? 'ERROR' : 'SUCCESS',
  };
  await step.observer.onEnd(outcome);
  return outcome;
}

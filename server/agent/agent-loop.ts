import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { createId } from '../id.ts';
import type { ChatEvent } from '../events/chat-event.ts';
import type { CallObserver, RequestedCall, ToolExecutor } from '../executor/tool-call.ts';
import type { Log } from '../log.ts';
import type { HistoryEntry, ModelCatalogue, StepPart } from '../models/model.ts';
import { retryDelayMs } from '../models/retry.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import type { ToolHost } from '../tools/kit/tool-host.ts';
import type { ToolResult } from '../tools/kit/tool-result.ts';
import { selectActiveTools, type ActiveTools } from './active-tools.ts';
import { settleCallIds } from './call-ids.ts';
import { historyOfSteps } from './history.ts';
import { runModelStep, type DeltaSink, type ModelStep } from './model-step.ts';
import { createSystemPrompt } from './prompt.ts';
import { createRepeatedCalls, STOP_AT, withWarning, type RepeatedCalls } from './repeated-calls.ts';
import * as endings from './stop-conditions.ts';
import type { Ending } from './stop-conditions.ts';
import { LeaseLostError, type TurnState, type TurnStore } from './turn-store.ts';

export interface AgentLoopDependencies {
  readonly store: TurnStore;
  readonly registry: ToolRegistry;
  readonly catalogue: ModelCatalogue;
  readonly executor: ToolExecutor;
  readonly config: Pick<
    Config,
    'turnStepLimit' | 'turnTimeoutMs' | 'modelRetries' | 'modelMaxOutputTokens'
  >;
  readonly clock: Clock;
  readonly log: Log;
  createDeltaSink(chatId: string): DeltaSink;
  /** Appends to the chat's log without waiting; failures are logged there. */
  emit(chatId: string, event: ChatEvent): void;
  createHost(state: TurnState, callId: string): ToolHost;
  /** Asks the person to switch on a group; null when the call waits for the answer. */
  requestActivation(
    state: TurnState,
    call: RequestedCall,
    input: Readonly<Record<string, unknown>>,
  ): Promise<ToolResult | null>;
}

/** Runs turns. All that a turn is lies in the store: any process can go on where another stopped. */
export interface AgentLoop {
  /**
   * Runs a turn until it ends or only waits for a person. Never rejects.
   *
   * @param signal - aborted with an `Ending` to end the turn so, or with a `LeaseLostError` to drop it.
   */
  run(turnId: string, signal: AbortSignal): Promise<void>;
}

/** One run of a turn in this process. */
interface Run {
  readonly state: TurnState;
  readonly signal: AbortSignal;
  readonly system: string;
  readonly history: HistoryEntry[];
  readonly deltas: DeltaSink;
  readonly repeated: RepeatedCalls;
  elapsedMs(): number;
}

export function createAgentLoop(dependencies: AgentLoopDependencies): AgentLoop {
  const { store, clock, config, log } = dependencies;

  async function run(turnId: string, signal: AbortSignal): Promise<void> {
    const state = await store.load(turnId);
    const startedAt = clock.now();
    const elapsedMs = (): number => state.elapsedMs + clock.now() - startedAt;
    const deadline = new AbortController();
    const clearDeadline = clock.after(Math.max(0, config.turnTimeoutMs - state.elapsedMs), () =>
      deadline.abort(endings.deadlineReached(config.turnTimeoutMs)),
    );
    const current: Run = {
      state,
      signal: AbortSignal.any([signal, deadline.signal]),
      system: createSystemPrompt(state),
      history: [...state.history, ...historyOfSteps(state.steps)],
      deltas: dependencies.createDeltaSink(state.chatId),
      repeated: createRepeatedCalls(),
      elapsedMs,
    };
    try {
      const ending = await runSteps(current, dependencies);
      if (ending !== 'waiting') await store.end(state, { ...ending, elapsedMs: elapsedMs() });
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      const errorId = createId();
      log.error({ error, errorId, turnId }, 'A turn failed.');
      const message = `The answer failed inside the server (error ${errorId}).`;
      await store.end(state, { reason: 'FAILED', message, elapsedMs: elapsedMs() });
    } finally {
      clearDeadline();
    }
  }

  return {
    async run(turnId, signal) {
      try {
        await run(turnId, signal);
      } catch (error) {
        if (error instanceof LeaseLostError) return;
        log.error(
          { error, turnId },
          'A turn could not be stored; it will be settled as interrupted.',
        );
      }
    },
  };
}

async function runSteps(
  run: Run,
  dependencies: AgentLoopDependencies,
): Promise<Ending | 'waiting'> {
  const { config, store } = dependencies;
  for (let index = run.state.steps.length; ; index += 1) {
    if (run.signal.aborted) return endingOf(run.signal);
    if (index >= config.turnStepLimit) return endings.stepLimitReached(config.turnStepLimit);
    const problem = findModelProblem(run.state.modelId, dependencies);
    if (problem !== null) return { reason: 'PROVIDER_ERROR', message: problem };

    const { step, tools, parts } = await takeModelStep(run, index, dependencies);
    const calls = parts.filter((part) => part.type === 'tool-call');
    const ending = endingAfterModel(step, parts, run);
    if (ending !== null) return ending;

    const repeats = await executeCalls(run, { index, calls, tools }, dependencies);
    if (run.signal.aborted) return endingOf(run.signal);
    if (await store.wait(run.state, run.elapsedMs())) return 'waiting';
    if (repeats !== null) return endings.repeatedCall(repeats.toolName, repeats.count);

    const stored = await store.calls(run.state, index);
    run.history.push(...historyOfSteps([{ index, parts, raw: rawOf(step, run), calls: stored }]));

    function rawOf({ rawItems }: ModelStep, { state }: Run) {
      if (rawItems.length === 0) return null;
      const { protocol, family } = dependencies.catalogue.adapter(state.modelId);
      return { protocol, family, items: rawItems };
    }
  }
}

/** What the person is told when a turn was made to stop. */
function endingOf(signal: AbortSignal): Ending {
  if (signal.reason instanceof Error) throw signal.reason;
  return signal.reason as Ending;
}

/** Why the model cannot be asked any more; null if it can. */
function findModelProblem(modelId: string, { catalogue }: AgentLoopDependencies): string | null {
  try {
    catalogue.adapter(modelId);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const hasText = (parts: readonly StepPart[]): boolean =>
  parts.some((part) => part.type === 'text' && part.text.trim() !== '');

function endingAfterModel(step: ModelStep, parts: readonly StepPart[], run: Run): Ending | null {
  if (step.finish === 'aborted') return endingOf(run.signal);
  if (step.error !== null) return { reason: 'PROVIDER_ERROR', message: step.error.message };
  if (parts.some(({ type }) => type === 'tool-call')) return null;
  if (step.finish === 'length') return endings.outputLimitReached;
  if (step.finish === 'content-filter') return endings.contentFiltered;
  const turn = run.history.slice(run.state.history.length);
  const isEmpty =
    !hasText(parts) && !turn.some((entry) => entry.type === 'step' && hasText(entry.parts));
  return isEmpty ? endings.emptyAnswer : endings.completed;
}

async function takeModelStep(
  run: Run,
  index: number,
  dependencies: AgentLoopDependencies,
): Promise<{ step: ModelStep; tools: ActiveTools; parts: readonly StepPart[] }> {
  const { catalogue, clock, config, log, registry, store } = dependencies;
  const { state } = run;
  const adapter = catalogue.adapter(state.modelId);
  const view = await store.gateView(state);
  const tools = selectActiveTools(registry, view, adapter.protocol);
  await store.startStep(state, { index, modelId: state.modelId });
  const made = await runModelStep({
    adapter,
    request: {
      model: catalogue.find(state.modelId)?.model ?? state.modelId,
      system: run.system,
      history: run.history,
      tools: tools.schemas,
      maxOutputTokens: config.modelMaxOutputTokens,
      cacheKey: state.chatId,
    },
    signal: run.signal,
    place: { turnId: state.turnId, messageId: state.assistantMessageId, stepIndex: index },
    deltas: run.deltas,
    maxRetries: config.modelRetries,
    retryDelay: (error, attempt) => retryDelayMs(error, attempt, Math.random),
    sleep: (delayMs, signal) => sleep(clock, delayMs, signal),
    onRetry: (error, attempt) =>
      log.warn({ turnId: state.turnId, kind: error.kind, attempt }, 'A model request is repeated.'),
  });
  await run.deltas.flush();

  const callIds = made.parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []));
  const used = await store.usedCallIds(state.chatId, callIds);
  const { parts, areUnchanged } = settleCallIds(made.parts, used);
  // Raw items name the calls by the model's own ids, so they are worth nothing under new ones.
  const step = areUnchanged ? made : { ...made, rawItems: [] };
  await store.finishStep(state, {
    index,
    modelId: state.modelId,
    protocol: adapter.protocol,
    family: adapter.family,
    parts,
    rawItems: step.rawItems,
    usage: step.usage,
    complete: step.finish !== 'error' && step.finish !== 'aborted',
  });
  return { step, tools, parts };
}

/** Executes the calls of a step; tells which one has been repeated too often. */
async function executeCalls(
  run: Run,
  step: {
    readonly index: number;
    readonly calls: readonly RequestedCall[];
    readonly tools: ActiveTools;
  },
  dependencies: AgentLoopDependencies,
): Promise<{ readonly toolName: string; readonly count: number } | null> {
  const { executor, store } = dependencies;
  const { state } = run;
  const calls = new Map(step.calls.map((call) => [call.callId, call]));
  let repeats: { toolName: string; count: number } | null = null;
  const failures: unknown[] = [];
  const observer: CallObserver = {
    ...progressEvents(run, calls, dependencies),
    async onEnd(outcome) {
      const call = calls.get(outcome.callId)!;
      const count = run.repeated.count(call, outcome.modelResult);
      if (count >= STOP_AT) repeats = { toolName: call.toolName, count };
      const stored = { ...outcome, modelResult: withWarning(outcome.modelResult, count) };
      await store.endCall(state, stored).catch((error: unknown) => failures.push(error));
    },
  };
  await executor.execute({
    scope: { chatId: state.chatId, userId: state.userId },
    calls: step.calls,
    activeTools: step.tools.names,
    host: (callId) => dependencies.createHost(state, callId),
    observer,
    signal: run.signal,
    runOnServer: (call, input) => dependencies.requestActivation(state, call, input),
  });
  if (failures.length > 0) throw failures[0];
  return repeats;
}

function progressEvents(
  run: Run,
  calls: ReadonlyMap<string, RequestedCall>,
  { emit }: AgentLoopDependencies,
): Omit<CallObserver, 'onEnd'> {
  const send = (
    callId: string,
    progress: {
      state: 'queued' | 'running' | 'stopping';
      message?: string;
      fraction?: number;
      data?: unknown;
    },
  ): void =>
    emit(run.state.chatId, {
      type: 'tool-call-progress',
      callId,
      toolName: calls.get(callId)!.toolName,
      state: progress.state,
      message: progress.message ?? null,
      fraction: progress.fraction ?? null,
      data: progress.data ?? null,
    });
  return {
    onQueued: (callId) => send(callId, { state: 'queued' }),
    onStart: () => undefined,
    onProgress: (callId, progress) => send(callId, { ...progress, state: 'running' }),
    onStopping: (callId) => send(callId, { state: 'stopping' }),
  };
}

function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const clear = clock.after(delayMs, finish);
    signal.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clear();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}

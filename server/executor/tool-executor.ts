import type { Clock } from '../clock.ts';
import type { Config, ToolSettings } from '../config.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import type { ServerOwned } from '../tools/kit/argument-check.ts';
import { withSystemHint } from '../tools/kit/system-hint.ts';
import { failed, type ToolResult } from '../tools/kit/tool-result.ts';
import { createAdmission, type Admission } from './admission.ts';
import { outcomeOf, resultOfThread } from './call-outcome.ts';
import { createHostCalls } from './host-calls.ts';
import { createPrepareCall, type PrepareCall, type PreparedCall } from './prepare-call.ts';
import { runInThread, type ThreadEnd } from './thread-run.ts';
import type {
  CallOutcome,
  CallWaiting,
  RequestedCall,
  StepExecution,
  ToolExecutor,
} from './tool-call.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

export interface ToolExecutorDependencies {
  readonly registry: ToolRegistry;
  readonly config: Pick<
    Config,
    | 'toolThreads'
    | 'toolQueueLimit'
    | 'toolTimeoutMs'
    | 'toolGraceMs'
    | 'toolOutputLimit'
    | 'toolMemoryMb'
    | 'uploadMaxBytes'
  >;
  /** What tools may see of the settings. */
  readonly settings: ToolSettings;
  readonly log: Log;
  readonly clock: Clock;
}

type Admitted = Extract<PreparedCall, { readonly refusal: null }>;

/** One executor as its functions share it. */
interface Machine extends ToolExecutorDependencies {
  readonly pool: WorkerPool;
  readonly admission: Admission;
  /** Cancels a call that waits or runs, by chat and call. */
  readonly cancels: Map<string, AbortController>;
  /** The calls that have a thread. */
  readonly runs: Set<Promise<ThreadEnd>>;
  readonly counts: { completed: number; killed: number };
  isClosing: boolean;
}

/** All results of a step together may have this many times the characters of one. */
const STEP_SHARES = 2;
const MIN_OUTPUT_CHARACTERS = 1_000;

export function createToolExecutor(dependencies: ToolExecutorDependencies): ToolExecutor {
  const { config, log } = dependencies;
  const machine: Machine = {
    ...dependencies,
    pool: createWorkerPool({
      threads: config.toolThreads,
      memoryMb: config.toolMemoryMb,
      onIdleFailure: (error) => log.warn({ error }, 'A tool thread ended between two calls.'),
    }),
    admission: createAdmission({
      places: config.toolThreads,
      queueLimit: config.toolQueueLimit,
    }),
    cancels: new Map(),
    runs: new Set(),
    counts: { completed: 0, killed: 0 },
    isClosing: false,
  };
  const prepare = createPrepareCall(dependencies.registry);

  return {
    execute: (step) => runStep(machine, step, prepare),

    cancel(chatId, callId) {
      const controller = machine.cancels.get(`${chatId}/${callId}`);
      controller?.abort();
      return controller !== undefined;
    },

    load() {
      const { busy, queued, refused } = machine.admission.counts();
      const { completed, killed } = machine.counts;
      const { toolThreads: threads, toolQueueLimit: queueLimit } = config;
      return { threads, busy, queued, queueLimit, completed, refused, killed };
    },

    async close() {
      machine.isClosing = true;
      for (const controller of machine.cancels.values()) controller.abort();
      // Each of them ends within its grace period.
      await Promise.all(machine.runs);
      await machine.pool.close();
    },
  };
}

/** Runs safe calls together and the others after them; what the server answers goes on beside. */
async function runStep(
  machine: Machine,
  step: StepExecution,
  prepare: PrepareCall,
): Promise<(CallOutcome | CallWaiting)[]> {
  const serverOwned = ownedBy(step);
  const prepared = step.calls.map((call) => ({
    call,
    ...prepare(call, { activeTools: step.activeTools, serverOwned }),
  }));
  const outcomes = new Array<CallOutcome | CallWaiting>(prepared.length);
  const run = async (index: number): Promise<void> => {
    outcomes[index] = await runCall(machine, step, prepared[index]!);
  };
  const runAll = (indexes: readonly number[]): Promise<void> => allOf(indexes.map(run));

  const ways = Map.groupBy(prepared.keys(), (index) => wayOf(prepared[index]!));
  const runInThreads = async (): Promise<void> => {
    await runAll(ways.get('together') ?? []);
    for (const index of ways.get('one-by-one') ?? []) await run(index);
  };
  await allOf([runAll(ways.get('beside') ?? []), runInThreads()]);
  return outcomes;
}

/** Waits for all, also when one fails. */
async function allOf(promises: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(promises)) {
    if (settled.status === 'rejected') throw settled.reason;
  }
}

function wayOf(call: PreparedCall): 'beside' | 'together' | 'one-by-one' {
  if (call.refusal !== null) return 'together';
  if (call.tool.runsIn === 'server') return 'beside';
  return call.tool.concurrencySafe ? 'together' : 'one-by-one';
}

const ownedBy = ({ scope: { chatId, userId } }: StepExecution): ServerOwned => ({
  chat_id: chatId,
  chat_uuid: chatId,
  user_id: userId,
});

/** Brings one call to its outcome, and tells it. */
async function runCall(
  machine: Machine,
  step: StepExecution,
  prepared: PreparedCall & { readonly call: RequestedCall },
): Promise<CallOutcome | CallWaiting> {
  const { call } = prepared;
  const outcome =
    prepared.refusal !== null
      ? outcomeOf(call.callId, prepared.refusal)
      : await (prepared.tool.runsIn === 'server' ? runBeside : runAdmitted)(
          machine,
          step,
          prepared,
        );
  if (outcome.status === 'WAITING') return outcome;
  machine.counts.completed += 1;
  await step.observer.onEnd(outcome);
  return outcome;
}

type Running = Admitted & { readonly call: RequestedCall };

/** A call that the server thread answers; it takes no place among the others. */
async function runBeside(
  machine: Machine,
  step: StepExecution,
  { call, tool, input }: Running,
): Promise<CallOutcome | CallWaiting> {
  const startedAt = machine.clock.now();
  step.observer.onStart(call.callId);
  let result: ToolResult | null;
  try {
    result = await step.runOnServer(call, input ?? {});
  } catch (error) {
    machine.log.error({ error, callId: call.callId }, 'A call on the server thread failed.');
    result = failed('FAILED', messageOf(error));
  }
  if (result === null) return { callId: call.callId, status: 'WAITING' };
  return outcomeOf(call.callId, withSystemHint(result, tool.systemHints), {
    arguments: input,
    startedAt: new Date(startedAt),
    elapsedMs: machine.clock.now() - startedAt,
  });
}

async function runAdmitted(
  machine: Machine,
  step: StepExecution,
  running: Running,
): Promise<CallOutcome> {
  const { call, input } = running;
  const { clock, admission, cancels } = machine;
  const key = `${step.scope.chatId}/${call.callId}`;
  const own = new AbortController();
  const signal = AbortSignal.any([step.signal, own.signal]);
  const enteredAt = clock.now();
  const ticket = admission.enter(step.scope.userId);
  if (ticket === null) return outcomeOf(call.callId, overloaded(machine), { arguments: input });
  cancels.set(key, own);
  const leave = (): void => ticket.leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    if (signal.aborted || machine.isClosing) ticket.leave();
    if (admission.counts().queued > 0) step.observer.onQueued(call.callId);
    const release = await ticket.admitted;
    const queuedMs = clock.now() - enteredAt;
    try {
      if (release === 'refused') {
        return outcomeOf(call.callId, overloaded(machine), { arguments: input, queuedMs });
      }
      const mayStart = release !== 'left' && !signal.aborted && !machine.isClosing;
      if (!mayStart) return neverStarted(running, queuedMs);
      return await runHere(machine, step, { ...running, signal, queuedMs });
    } finally {
      if (typeof release === 'function') release();
    }
  } finally {
    signal.removeEventListener('abort', leave);
    cancels.delete(key);
  }
}

const overloaded = ({ config: { toolThreads, toolQueueLimit } }: Machine): ToolResult =>
  failed(
    'OVERLOADED',
    `The server runs ${toolThreads} calls and has ${toolQueueLimit} more waiting, which is its limit. Try again later, or with fewer calls at a time.`,
  );

const neverStarted = ({ call, input }: Running, queuedMs: number): CallOutcome =>
  outcomeOf(call.callId, failed('CANCELLED', `${call.toolName} was cancelled before it started.`), {
    arguments: input,
    queuedMs,
  });

/** Runs a call that has its place, in a thread. */
async function runHere(
  machine: Machine,
  step: StepExecution,
  running: Running & { readonly signal: AbortSignal; readonly queuedMs: number },
): Promise<CallOutcome> {
  const { config, settings, pool, clock } = machine;
  const { call, tool, input, signal, queuedMs } = running;
  const { callId } = call;
  const { observer } = step;
  const host = step.host(callId);
  const outputLimit = shareOf(config.toolOutputLimit, step.calls.length);
  const graceMs = config.toolGraceMs;
  const ending = runInThread(
    {
      ...{ tool, input, callId, settings, outputLimit },
      argumentsText: call.argumentsText,
      serverOwned: ownedBy(step),
      defaultTimeoutMs: config.toolTimeoutMs,
      fileLimit: config.uploadMaxBytes,
    },
    {
      ...{ pool, clock, graceMs, signal },
      onStart: () => observer.onStart(callId),
      onProgress: (progress) => observer.onProgress(callId, progress),
      onStopping: () => observer.onStopping(callId),
      onHostCall: createHostCalls(tool, host),
    },
  );
  machine.runs.add(ending);
  const run = await ending;
  machine.runs.delete(ending);
  note(machine, call, run);
  const result = await resultOfThread({ tool, run, outputLimit, graceMs, host });
  return outcomeOf(callId, result, {
    arguments: run.input ?? input,
    queuedMs,
    elapsedMs: run.elapsedMs,
    startedAt: run.startedAt,
    ...(run.end === null ? {} : { outputCharacters: run.end.outputCharacters }),
  });
}

const shareOf = (limit: number, calls: number): number =>
  Math.max(MIN_OUTPUT_CHARACTERS, Math.min(limit, Math.floor((limit * STEP_SHARES) / calls)));

/** For the operator: what a call did to its thread, never what it was about. */
function note({ log, counts }: Machine, { callId, toolName }: RequestedCall, run: ThreadEnd): void {
  if (run.end === null) {
    counts.killed += 1;
    const { failure, stopReason } = run;
    log.warn({ callId, toolName, failure, stopReason }, 'A tool thread was ended.');
  }
  if (run.end?.stack != null && run.stopReason === null) {
    log.warn({ callId, toolName, stack: run.end.stack }, 'A tool threw an error.');
  }
}

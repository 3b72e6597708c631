import { MessageChannel } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { ToolProgress } from '../tools/kit/define-tool.ts';
import type {
  CallEnd,
  CallTask,
  HostRequest,
  ServerMessage,
  StopReason,
  WorkerMessage,
} from '../worker/messages.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface ThreadRunOptions {
  readonly pool: WorkerPool;
  readonly clock: Clock;
  /** Milliseconds that a call has to end by itself once it was asked to. */
  readonly graceMs: number;
  /** Cancels the call. */
  readonly signal: AbortSignal;
  onStart(): void;
  onProgress(progress: ToolProgress): void;
  onStopping(): void;
  onHostCall(request: HostRequest): Promise<ServerMessage>;
}

/** How a call left its thread. */
export interface ThreadEnd {
  /** Null when the thread ended before the call did. */
  readonly end: CallEnd | null;
  /** Why it was asked to stop; null when it was not. */
  readonly stopReason: StopReason | null;
  /** What became of the thread; null when it was not at fault. */
  readonly failure: string | null;
  /** As the tool got it; null when it did not start. */
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number | null;
  readonly startedAt: Date | null;
  readonly elapsedMs: number;
}

/** Milliseconds until the tool's code must have started; large libraries are loaded in `execute`. */
const START_DEADLINE_MS = 30_000;
/** Milliseconds that the last message may come after the thread's own end of the task. */
const LAST_MESSAGE_MS = 1_000;

/** Runs one call in a thread to an end, whatever the tool does. Never rejects. */
export function runInThread(
  task: Omit<CallTask, 'port'>,
  options: ThreadRunOptions,
): Promise<ThreadEnd> {
  const { pool, clock, signal } = options;
  const { port1: port, port2 } = new MessageChannel();
  const thread = new AbortController();
  const { promise, resolve } = Promise.withResolvers<ThreadEnd>();
  const timers = new Set<() => void>();
  const dispatchedAt = clock.now();
  let startedAt: number | null = null;
  let timeoutMs: number | null = null;
  let input: ThreadEnd['input'] = null;
  let stopReason: StopReason | null = null;
  let isSettled = false;

  const after = (delayMs: number, run: () => void): void => {
    timers.add(clock.after(delayMs, run));
  };

  function settle(end: CallEnd | null, failure: string | null): void {
    if (isSettled) return;
    isSettled = true;
    for (const clear of timers) clear();
    signal.removeEventListener('abort', cancel);
    port.close();
    const elapsedMs = clock.now() - (startedAt ?? dispatchedAt);
    resolve({
      ...{ end, failure, stopReason, input, timeoutMs, elapsedMs },
      startedAt: startedAt === null ? null : new Date(startedAt),
    });
    // A thread that still has something to do must not take the next call.
    if (end === null || end.isDirty) thread.abort();
  }

  function stop(reason: StopReason): void {
    if (stopReason !== null) return;
    stopReason = reason;
    options.onStopping();
    port.postMessage({ type: 'stop', reason } satisfies ServerMessage);
    after(options.graceMs, () => settle(null, null));
  }

  const cancel = (): void => stop('cancelled');

  function receive(message: WorkerMessage): void {
    switch (message.type) {
      case 'started':
        startedAt = clock.now();
        ({ input, timeoutMs } = message);
        options.onStart();
        if (stopReason === null) after(message.timeoutMs, () => stop('deadline'));
        return;
      case 'progress':
        return options.onProgress(message.progress);
      case 'host-call':
        options
          .onHostCall(message)
          .then((answer) => port.postMessage(answer))
          .catch((error: unknown) =>
            settle(null, `got no answer to ${message.method}: ${messageOf(error)}`),
          );
        return;
      case 'ended':
        return settle(message, null);
    }
  }

  port.on('message', receive);
  signal.addEventListener('abort', cancel, { once: true });
  after(START_DEADLINE_MS, () => {
    if (startedAt === null) settle(null, `did not start within ${START_DEADLINE_MS / 1_000} s`);
  });
  pool.run({ ...task, port: port2 }, thread.signal).then(
    () => {
      if (!isSettled) after(LAST_MESSAGE_MS, () => settle(null, 'ended without a result'));
    },
    (error: unknown) => settle(null, `ended its thread: ${messageOf(error)}`),
  );
  if (signal.aborted) cancel();
  return promise;
}

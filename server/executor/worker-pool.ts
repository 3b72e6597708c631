import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { CallTask } from '../worker/messages.ts';

export interface WorkerPoolOptions {
  readonly threads: number;
  /** Megabytes of JavaScript memory that a thread may use. */
  readonly memoryMb: number;
  /** Told about a thread that ended while it had nothing to do. */
  onIdleFailure(error: Error): void;
}

/** Threads that run one call each. */
export interface WorkerPool {
  /**
   * Resolves when the thread is done with the call.
   *
   * @param signal - aborting it ends the thread at once.
   * @throws Error if the thread ended in the middle.
   */
  run(task: CallTask, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const IDLE_TIMEOUT_MS = 60_000;

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const pool = new Piscina({
    filename: new URL('../worker/worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: options.threads,
    idleTimeout: IDLE_TIMEOUT_MS,
    // An abort ends the whole thread: nobody else may run in it.
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
  });
  pool.on('error', options.onIdleFailure);
  return {
    run: (task, signal) =>
      pool.run(task, { signal, transferList: [task.port as MessagePort] }) as Promise<void>,
    close: () => pool.destroy(),
  };
}

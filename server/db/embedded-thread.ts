import { Worker } from 'node:worker_threads';
import { AppError, messageOf } from '../errors.ts';
import type { EmbeddedReport, EmbeddedRequest, EmbeddedThreadData } from './embedded-messages.ts';

export interface EmbeddedThread {
  /**
   * Hands whole protocol messages to the database; they are executed in order.
   *
   * @returns the protocol messages that it answers.
   * @throws AppError `UNAVAILABLE` once the thread has died.
   */
  execute(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  /** Resolves when the thread dies by itself; stays open otherwise. */
  readonly failed: Promise<AppError>;
  /** Ends the thread after everything that was handed over before. */
  close(): Promise<void>;
}

export interface EmbeddedThreadOptions extends EmbeddedThreadData {
  /** Called before the few seconds that the making of a new database takes. */
  readonly onCreating: () => void;
}

/** @throws AppError `UNAVAILABLE` if another process has the folder, or the database does not open. */
export async function startEmbeddedThread(options: EmbeddedThreadOptions): Promise<EmbeddedThread> {
  const { onCreating, ...workerData } = options;
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData,
    name: 'database',
  });
  const state = watch(worker, onCreating);
  try {
    await state.ready;
  } catch (error) {
    await worker.terminate(); // until then it may hold the lock
    throw error;
  }
  return {
    execute: (message) => state.execute(message),
    failed: state.failed.promise,
    async close() {
      state.isClosing = true;
      worker.postMessage({ type: 'close' } satisfies EmbeddedRequest);
      await state.exited;
    },
  };
}

interface Waiter {
  readonly resolve: (answer: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

function watch(worker: Worker, onCreating: () => void) {
  const waiting = new Map<number, Waiter>();
  const ready = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<AppError>();
  const exited = Promise.withResolvers<void>();
  let lastId = 0;
  let death: AppError | null = null;

  function fail(error: AppError): void {
    if (death !== null) return;
    death = error;
    ready.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    if (!state.isClosing) failed.resolve(error);
  }

  function receive(report: EmbeddedReport): void {
    switch (report.type) {
      case 'creating':
        return onCreating();
      case 'ready':
        return ready.resolve();
      case 'refused':
        return fail(new AppError(report.code, report.message));
      case 'died':
        return fail(stopped(report.reason));
      case 'executed':
        waiting.get(report.id)?.resolve(report.answer);
        waiting.delete(report.id);
    }
  }

  worker.on('message', receive);
  worker.on('error', (error) => fail(stopped(messageOf(error))));
  worker.on('exit', (code) => {
    fail(stopped(`its thread ended with code ${code}`));
    exited.resolve();
  });

  const state = {
    isClosing: false,
    ready: ready.promise,
    exited: exited.promise,
    failed,
    execute(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
      if (death !== null) return Promise.reject(death);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        const request: EmbeddedRequest = { type: 'execute', id, message };
        worker.postMessage(request, [message.buffer]);
      });
    },
  };
  return state;
}

const stopped = (reason: string): AppError =>
  new AppError('UNAVAILABLE', `The embedded database has stopped: ${reason}.`);

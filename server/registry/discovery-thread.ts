import { Worker } from 'node:worker_threads';
import type { ToolSettings } from '../config.ts';
import type {
  DiscoveryData,
  DiscoveryReply,
  DiscoveryRequest,
} from '../worker/discovery-messages.ts';

/** The thread gave no answer in time, or is gone; `reason` is the end of a sentence. */
export interface ThreadTrouble {
  readonly type: 'trouble';
  readonly reason: string;
}

/** A thread that imports tool files: whatever they do there, the server goes on. */
export interface DiscoveryThread {
  send(request: DiscoveryRequest): void;
  /** The next answer; trouble when none comes within `timeoutMs` milliseconds. */
  next(timeoutMs: number): Promise<DiscoveryReply | ThreadTrouble>;
  close(): Promise<void>;
}

export interface DiscoveryThreadOptions {
  readonly settings: ToolSettings;
  /** Megabytes of JavaScript memory after which the thread is ended. */
  readonly memoryMb: number;
}

const START_TIMEOUT_MS = 30_000;

/** @throws Error if the thread itself does not start, which no tool file can bring about. */
export async function startDiscoveryThread(
  options: DiscoveryThreadOptions,
): Promise<DiscoveryThread> {
  const thread = createThread(options);
  const first = await thread.next(START_TIMEOUT_MS);
  if (first.type === 'ready') return thread;
  await thread.close();
  const reason = first.type === 'trouble' ? first.reason : `answered ${first.type} first`;
  throw new Error(`The thread that discovers tools did not start: it ${reason}.`);
}

function createThread({ settings, memoryMb }: DiscoveryThreadOptions): DiscoveryThread {
  const workerData: DiscoveryData = { settings };
  const worker = new Worker(new URL('../worker/discovery.ts', import.meta.url), {
    workerData,
    name: 'tool-discovery',
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const answers: (DiscoveryReply | ThreadTrouble)[] = [];
  let wake = (): void => undefined;
  const add = (answer: DiscoveryReply | ThreadTrouble): void => {
    answers.push(answer);
    wake();
  };

  worker.on('message', add);
  worker.on('error', (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    add({ type: 'trouble', reason: `ended its thread: ${message}` });
  });
  worker.on('exit', (code) => {
    add({ type: 'trouble', reason: `ended its thread with exit code ${code}` });
  });

  return {
    send: (request) => worker.postMessage(request),
    async next(timeoutMs) {
      if (answers.length === 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return (
        answers.shift() ?? { type: 'trouble', reason: `gave no answer within ${timeoutMs} ms` }
      );
    },
    async close() {
      await worker.terminate();
    },
  };
}

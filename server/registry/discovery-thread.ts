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

/** Starts threads, and ends all of them when nobody needs them any more. */
export interface DiscoveryThreads {
  /** @throws Error after `closeAll`. */
  start(): Promise<DiscoveryThread>;
  closeAll(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

export function createDiscoveryThreads(options: DiscoveryThreadOptions): DiscoveryThreads {
  const open = new Set<DiscoveryThread>();
  let isClosed = false;

  return {
    async start() {
      if (isClosed) throw new Error('The registry of tools is closed.');
      const thread = createThread(options);
      open.add(thread);
      await waitForStart(thread);
      const close = async (): Promise<void> => {
        open.delete(thread);
        await thread.close();
      };
      return { ...thread, close };
    },
    async closeAll() {
      isClosed = true;
      await Promise.all([...open].map((thread) => thread.close()));
    },
  };
}

/** @throws Error if the thread itself does not start, which no tool file can bring about. */
async function waitForStart(thread: DiscoveryThread): Promise<void> {
  const first = await thread.next(START_TIMEOUT_MS);
  if (first.type === 'ready') return;
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

import { AppError } from '../errors.ts';
import type { ToolContext, ToolProgress } from '../tools/kit/define-tool.ts';
import type { HostFact, HostFile, LocatedFile } from '../tools/kit/tool-host.ts';
import { MAX_CACHED_CHARACTERS, serviceOf, type CallTask, type HostMethod } from './messages.ts';
import type { ToolPort } from './tool-port.ts';

const PROGRESS_INTERVAL_MS = 100;
const MAX_PROGRESS_CHARACTERS = 500;
const MAX_PROGRESS_DATA_CHARACTERS = 20_000;

/** The context of one call; the application answers through the port. */
export interface CallContext {
  readonly context: ToolContext;
  /** Tells progress that still waits for its time. */
  flush(): void;
}

export function createCallContext(
  task: CallTask,
  port: ToolPort,
  { signal, deadlineAt }: { readonly signal: AbortSignal; readonly deadlineAt: number },
): CallContext {
  const { tool, serverOwned } = task;
  const ask = async <Value>(method: HostMethod, ...parameters: unknown[]): Promise<Value> => {
    const service = serviceOf(method);
    if (service !== null && !tool.needs.includes(service)) {
      throw new Error(`${tool.name} calls ${method}, but its needs do not name "${service}".`);
    }
    return (await port.ask(method, parameters)) as Value;
  };
  const progress = createProgress(port);

  const context: ToolContext = {
    ...{ signal, deadlineAt },
    callId: task.callId,
    chatId: serverOwned.chat_id,
    chatUuid: serverOwned.chat_uuid,
    userId: serverOwned.user_id,
    outputLimit: task.outputLimit,
    settings: task.settings,
    reportProgress: progress.report,
    files: {
      list: () => ask<readonly HostFile[]>('files.list'),
      locate: (label) => ask<LocatedFile | null>('files.locate', label),
      create(file) {
        const bytes = Buffer.byteLength(file.content);
        if (bytes > task.fileLimit) {
          throw new AppError(
            'BAD_INPUT',
            `${file.label} has ${bytes} bytes, but a file may have at most ${task.fileLimit}.`,
          );
        }
        return ask<HostFile>('files.create', file);
      },
    },
    facts: {
      remember: (text) => ask<{ fact: HostFact; isNew: boolean }>('facts.remember', text),
      find: (match) => ask<readonly HostFact[]>('facts.find', match),
      forget: (id) => ask<void>('facts.forget', id),
    },
    cache: {
      get: (key) => ask<unknown>('cache.get', `${tool.name}:${key}`),
      set(key, value, ttlMs) {
        // Here too, so that the server thread does not even receive what it would refuse.
        const characters = JSON.stringify(value)?.length ?? 0;
        if (characters > MAX_CACHED_CHARACTERS) {
          throw new AppError(
            'BAD_INPUT',
            `The value of ${key} has ${characters} characters of JSON, but a cached value may have ${MAX_CACHED_CHARACTERS}.`,
          );
        }
        return ask<void>('cache.set', `${tool.name}:${key}`, value, ttlMs);
      },
    },
    pace: (key, intervalMs) => orAbort(ask<void>('pace', key, intervalMs), signal),
  };
  return { context, flush: progress.flush };
}

/** Whoever waits for a turn is told at once when there is nothing to wait for any more. */
function orAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) return give();
    signal.addEventListener('abort', give, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

/** Sends at most one report in each interval; of those between only the last. */
function createProgress(port: ToolPort): {
  report(progress: ToolProgress): void;
  flush(): void;
} {
  let waiting: ToolProgress | null = null;
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting === null) return;
    port.send({ type: 'progress', progress: waiting });
    waiting = null;
  };
  return {
    flush,
    report(progress) {
      waiting = boundProgress(progress);
      if (timer !== null) return;
      flush();
      timer = setTimeout(flush, PROGRESS_INTERVAL_MS).unref();
    },
  };
}

function boundProgress({ message, fraction, data }: ToolProgress): ToolProgress {
  const text = data === undefined ? undefined : JSON.stringify(data);
  return {
    ...(message === undefined ? {} : { message: message.slice(0, MAX_PROGRESS_CHARACTERS) }),
    ...(Number.isFinite(fraction) ? { fraction: Math.min(1, Math.max(0, fraction ?? 0)) } : {}),
    ...(text === undefined || text.length > MAX_PROGRESS_DATA_CHARACTERS
      ? {}
      : { data: JSON.parse(text) as unknown }),
  };
}

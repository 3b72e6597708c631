import { expect } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { readConfig, toolSettings } from '../../server/config.ts';
import { AppError } from '../../server/errors.ts';
import { createSharedServices } from '../../server/executor/shared-services.ts';
import type {
  CallOutcome,
  CallWaiting,
  RequestedCall,
  StepExecution,
  ToolExecutor,
} from '../../server/executor/tool-call.ts';
import { createToolExecutor } from '../../server/executor/tool-executor.ts';
import { createLog } from '../../server/log.ts';
import { createToolRegistry } from '../../server/registry/tool-registry.ts';
import type { ToolProgress } from '../../server/tools/kit/define-tool.ts';
import type { HostFile, ToolHost } from '../../server/tools/kit/tool-host.ts';

const NAMES = [
  ...['echo', 'patterned', 'waiting', 'graceful', 'chatty', 'keeper', 'paced', 'cached'],
  ...['wrong', 'lingering', 'large', 'looping', 'exiting', 'hungry', 'forgetful', 'throwing'],
  ...['deaf', 'together', 'alone', 'asking'],
];

export interface TestExecutor {
  readonly executor: ToolExecutor;
  /** Runs calls as one step and answers with their outcomes. */
  run(calls: readonly RequestedCall[], step?: Partial<StepExecution>): Promise<readonly Seen[]>;
  /** What was told while calls ran, in order. */
  readonly told: readonly string[];
  readonly progress: readonly ToolProgress[];
  readonly files: readonly { readonly label: string; readonly content: string | Uint8Array }[];
  close(): Promise<void>;
}

export type Seen = CallOutcome | CallWaiting;

export async function startTestExecutor(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestExecutor> {
  const { config } = readConfig({
    TOOLS_PATH: new URL('../fixtures/executor-tools', import.meta.url).pathname,
    TOOLS_ALLOWLIST: NAMES.join(','),
    TOOL_THREADS: '2',
    TOOL_GRACE_MS: '150',
    TOOL_OUTPUT_LIMIT: '4000',
    ...environment,
  });
  const parts = {
    ...{ config, settings: toolSettings(config), clock: systemClock },
    log: createLog({ level: 'silent' }),
  };
  const registry = await createToolRegistry(parts);
  const executor = createToolExecutor({ ...parts, registry });
  const told: string[] = [];
  const progress: ToolProgress[] = [];
  const files: { label: string; content: string | Uint8Array }[] = [];
  const host = createHost(files);
  return {
    ...{ executor, told, progress, files },
    run: (calls, step = {}) =>
      executor.execute({
        scope: { chatId: 'chat-1', userId: 'person-1' },
        calls,
        activeTools: new Set([...NAMES, 'request_tool_activation']),
        host: () => host,
        signal: new AbortController().signal,
        runOnServer: () => Promise.resolve(null),
        observer: {
          onQueued: (callId) => void told.push(`queued ${callId}`),
          onStart: (callId) => void told.push(`start ${callId}`),
          onProgress: (_callId, report) => void progress.push(report),
          onStopping: (callId) => void told.push(`stopping ${callId}`),
          onEnd: ({ callId, status }) => {
            told.push(`end ${callId} ${status}`);
            return Promise.resolve();
          },
        },
        ...step,
      }),
    async close() {
      await executor.close();
      await registry.close();
    },
  };
}

export const call = (callId: string, toolName: string, input: unknown = {}): RequestedCall => ({
  callId,
  toolName,
  argumentsText: typeof input === 'string' ? input : JSON.stringify(input),
});

/** Waits until something was told; a busy machine may take its time to start a thread. */
export const untilTold = ({ told }: TestExecutor, line: string): Promise<void> =>
  expect.poll(() => told, { timeout: 10_000 }).toContain(line);

/** The outcome as a short line: status, code, and what the model reads. */
export function describeOutcome(outcome: Seen): {
  status: string;
  code: string | null;
  model: Readonly<Record<string, unknown>>;
} {
  if (outcome.status === 'WAITING') return { status: 'WAITING', code: null, model: {} };
  const { status, result, modelResult } = outcome as CallOutcome;
  return { status, code: result.status === 'error' ? result.code : null, model: modelResult };
}

function createHost(files: { label: string; content: string | Uint8Array }[]): ToolHost {
  const nobody = () => Promise.reject(new Error('Nobody asks for this here.'));
  return {
    ...createSharedServices({ clock: systemClock }),
    facts: { remember: nobody, find: nobody, forget: nobody },
    files: {
      list: () => Promise.resolve([]),
      locate: () => Promise.resolve(null),
      create({ label, mimeType, content }) {
        if (label === 'refused') {
          return Promise.reject(new AppError('BAD_INPUT', 'This label is refused.'));
        }
        files.push({ label, content });
        const file: HostFile = {
          ...{ label, mimeType, origin: 'GENERATED', bytes: content.length },
          downloadUrl: `/generated-files/chat-1/${label}`,
          codeInterpreterPath: `/mnt/data/generated/${label}`,
        };
        return Promise.resolve(file);
      },
    },
  };
}

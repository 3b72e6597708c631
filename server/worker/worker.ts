import { setImmediate } from 'node:timers/promises';
import type { Tool } from '../tools/kit/define-tool.ts';
import { createArgumentCheck } from '../tools/kit/argument-check.ts';
import { listExportedTools } from '../tools/kit/discover.ts';
import { failed, type ToolResult } from '../tools/kit/tool-result.ts';
import { enableAuthorImports } from './author-imports.ts';
import { endWith, resultOfError } from './call-end.ts';
import type { CallEnd, CallTask } from './messages.ts';
import { createCallContext } from './tool-context.ts';
import { createToolPort, type ToolPort } from './tool-port.ts';

/** Thread entry: runs one call at a time. All that it has to say goes through the call's port. */

enableAuthorImports();

export default async function runCall(task: CallTask): Promise<void> {
  const before = countResources();
  const port = createToolPort(task.port);
  const { returned, hasThrown, stack } = await execute(task, port);
  // What is just being closed needs a turn of the event loop for it.
  await setImmediate();
  const isDirty = countResources() > before;
  const end = endWith(returned, task);
  const message: CallEnd = { type: 'ended', ...end, hasThrown, stack, isDirty };
  const content = end.overflow?.content ?? null;
  port.send(message, content === null ? [] : [content.buffer]);
  // The server ends a thread that is not clean; until then it must not take another call.
  if (isDirty) return new Promise(() => undefined);
  port.close();
}

interface Execution {
  readonly returned: unknown;
  readonly hasThrown: boolean;
  readonly stack: string | null;
}

async function execute(task: CallTask, port: ToolPort): Promise<Execution> {
  const { tool: descriptor } = task;
  try {
    const tool = await importTool(task);
    const checked = checkInput(task);
    if ('refusal' in checked) return { returned: checked.refusal, hasThrown: false, stack: null };
    const { input } = checked;
    const timeoutMs = limitOf(tool, input, task.defaultTimeoutMs);
    const signal = signalOfStop(port, { toolName: tool.name, timeoutMs });
    // A call that was cancelled while its file was loading does not begin.
    signal.throwIfAborted();
    const deadlineAt = Date.now() + timeoutMs;
    const { context, flush } = createCallContext(task, port, { signal, deadlineAt });
    port.send({ type: 'started', input, timeoutMs });
    try {
      return { returned: await tool.execute(input, context), hasThrown: false, stack: null };
    } finally {
      flush();
    }
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? null) : null;
    return { returned: resultOfError(error, descriptor), hasThrown: true, stack };
  }
}

/** Aborted as soon as the server asks the call to stop. */
function signalOfStop(
  port: ToolPort,
  { toolName, timeoutMs }: { readonly toolName: string; readonly timeoutMs: number },
): AbortSignal {
  const controller = new AbortController();
  port.onStop((reason) => {
    const message =
      reason === 'deadline'
        ? `${toolName} took over ${timeoutMs} ms.`
        : `${toolName} was cancelled.`;
    controller.abort(new DOMException(message, 'AbortError'));
  });
  return controller.signal;
}

/** Even the import of a file that is loaded takes longer than everything else before a call starts. */
const imported = new Map<string, Tool>();

async function importTool({ tool: { moduleUrl, name } }: CallTask): Promise<Tool> {
  const key = `${moduleUrl}#${name}`;
  const known = imported.get(key);
  if (known !== undefined) return known;
  const exports = (await import(moduleUrl)) as Record<string, unknown>;
  const tool = listExportedTools(exports).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`its file does not declare ${name} any more.`);
  imported.set(key, tool);
  return tool;
}

type Input = Readonly<Record<string, unknown>>;

/** Schemas that may take for ever are checked here, where the thread can be ended. */
function checkInput(task: CallTask): { readonly input: Input } | { readonly refusal: ToolResult } {
  if (task.input !== null) return { input: task.input };
  const { name, parameters, retiredParameters } = task.tool;
  const check = createArgumentCheck({ toolName: name, parameters, retiredParameters });
  const { input, problem } = check(task.argumentsText, task.serverOwned);
  return input === null ? { refusal: failed('INVALID_ARGUMENTS', problem) } : { input };
}

function limitOf(tool: Tool, input: Input, defaultMs: number): number {
  const { timeoutMs = defaultMs } = tool;
  const limit = typeof timeoutMs === 'function' ? timeoutMs(input as never) : timeoutMs;
  return Number.isFinite(limit) && limit > 0 ? limit : defaultMs;
}

/** Timers, sockets and the like that keep a thread busy. */
const countResources = (): number =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => !['MessagePort', 'TTYWrap', 'PipeWrap', 'Immediate'].includes(kind)).length;

import { messageOf } from '../errors.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { ToolHost } from '../tools/kit/tool-host.ts';
import { failed, toModelResult, type ToolResult } from '../tools/kit/tool-result.ts';
import type { CallEnd } from '../worker/messages.ts';
import type { ThreadEnd } from './thread-run.ts';
import type { CallOutcome } from './tool-call.ts';

const STATUS = { success: 'SUCCESS', noop: 'NOOP', error: 'ERROR' } as const;

/** An outcome of a call that needed no thread. */
export function outcomeOf(
  callId: string,
  result: ToolResult,
  facts: Partial<Omit<CallOutcome, 'callId' | 'result' | 'modelResult'>> = {},
): CallOutcome {
  const modelResult = toModelResult(result);
  return {
    callId,
    result,
    modelResult,
    status:
      result.status === 'error' && result.code === 'CANCELLED'
        ? 'CANCELLED'
        : STATUS[result.status],
    arguments: null,
    queuedMs: 0,
    elapsedMs: 0,
    outputCharacters: JSON.stringify(modelResult).length,
    startedAt: null,
    ...facts,
  };
}

export interface EndOfThread {
  readonly tool: ToolDescriptor;
  readonly run: ThreadEnd;
  readonly outputLimit: number;
  readonly graceMs: number;
  readonly host: ToolHost;
}

/** What a call comes to, from what its thread told. Keeps an output that is too long as a file. */
export async function resultOfThread(facts: EndOfThread): Promise<ToolResult> {
  const { run, tool } = facts;
  const { end, stopReason, failure } = run;
  if (end === null) {
    return stopReason === null ? crashed(tool, failure) : killed(tool, run, facts.graceMs);
  }
  const result =
    end.overflow !== null
      ? await keepOutput(end.overflow, end.outputCharacters, facts)
      : (JSON.parse(end.resultText) as ToolResult);
  if (stopReason === null || (stopReason === 'deadline' && !end.hasThrown)) return result;
  const data = end.hasThrown ? {} : { data: toModelResult(result) };
  return stopReason === 'cancelled'
    ? failed('CANCELLED', `${tool.name} was cancelled and stopped.`, data)
    : failed('TIMED_OUT', `${tool.name} took over ${run.timeoutMs} ms and was stopped.`, data);
}

const crashed = ({ name }: ToolDescriptor, failure: string | null): ToolResult =>
  failed('CRASHED', `${name} ${failure ?? 'ended its thread'}. What it did until then is unknown.`);

function killed({ name }: ToolDescriptor, run: ThreadEnd, graceMs: number): ToolResult {
  const unknown = `It did not stop within ${graceMs} ms and was ended by force; what it did until then is unknown.`;
  return run.stopReason === 'cancelled'
    ? failed('CANCELLED', `${name} was cancelled. ${unknown}`)
    : failed('TIMED_OUT', `${name} took over ${run.timeoutMs} ms. ${unknown}`);
}

async function keepOutput(
  { preview, content }: NonNullable<CallEnd['overflow']>,
  outputCharacters: number,
  { tool, host, outputLimit }: EndOfThread,
): Promise<ToolResult> {
  const size = `The output of ${tool.name} has ${outputCharacters} characters, but at most ${outputLimit} fit here.`;
  if (content === null) {
    return failed('OUTPUT_TOO_LARGE', `${size} It is too large to be kept; ask for less.`, {
      data: { preview },
    });
  }
  try {
    const file = await host.files.create({
      label: `${tool.name}-output.json`,
      mimeType: 'application/json',
      content,
    });
    return failed(
      'OUTPUT_TOO_LARGE',
      `${size} All of it is kept as the file ${file.label}: open it in pages with view, or ask for less.`,
      {
        data: {
          preview,
          file: file.label,
          download_url: file.downloadUrl,
          code_interpreter_path: file.codeInterpreterPath,
        },
      },
    );
  } catch (error) {
    return failed('OUTPUT_TOO_LARGE', `${size} It could not be kept: ${messageOf(error)}`, {
      data: { preview },
    });
  }
}

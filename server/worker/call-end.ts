import { AppError, messageOf } from '../errors.ts';
import { withSystemHint } from '../tools/kit/system-hint.ts';
import { compileSchema, type SchemaCheck } from '../tools/kit/schema-check.ts';
import { cutText } from '../tools/kit/cut-text.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import { failed, toModelResult, type ToolResult } from '../tools/kit/tool-result.ts';
import type { CallEnd, CallTask } from './messages.ts';

type EndOfResult = Omit<CallEnd, 'type' | 'hasThrown' | 'stack' | 'isDirty'>;

/** Characters of an output that are kept at all: more would not fit into a thread's memory with all its forms. */
const MAX_KEPT_CHARACTERS = 32_000_000;
const PREVIEW_CHARACTERS = 2_000;
const MAX_MESSAGE_CHARACTERS = 4_000;

const resultChecks = new Map<string, SchemaCheck>();

/** Brings what a tool returned into a form that the server can take without effort. */
export function endWith(
  returned: unknown,
  task: Pick<CallTask, 'tool' | 'outputLimit' | 'fileLimit'>,
): EndOfResult {
  const { tool, outputLimit, fileLimit } = task;
  const result = withSystemHint(checkResult(returned, tool), tool.systemHints);
  const modelText = toText(toModelResult(result));
  if (modelText === null) return endWith(notJson(tool), task);
  const outputCharacters = modelText.length;
  if (outputCharacters <= outputLimit) {
    return { resultText: JSON.stringify(result), outputCharacters, overflow: null };
  }
  const isKept = outputCharacters <= Math.min(MAX_KEPT_CHARACTERS, fileLimit);
  return {
    resultText: JSON.stringify(failed('OUTPUT_TOO_LARGE', '')),
    outputCharacters,
    overflow: {
      preview: cutText(modelText, PREVIEW_CHARACTERS),
      content: isKept ? readable(toModelResult(result)) : null,
    },
  };
}

/** One long line is of no use to somebody who reads it in pages. */
const readable = (model: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(model, null, 1));

/** What an error means as a result. */
export const resultOfError = (error: unknown, tool: ToolDescriptor): ToolResult => {
  const message = messageOf(error).slice(0, MAX_MESSAGE_CHARACTERS);
  return failed('FAILED', error instanceof AppError ? message : `${tool.name} failed: ${message}`);
};

function checkResult(returned: unknown, tool: ToolDescriptor): ToolResult {
  if (!isResult(returned)) {
    const found = toText(returned)?.slice(0, 200) ?? typeof returned;
    return failed(
      'INVALID_RESULT',
      `${tool.name} returned ${found}, but a tool returns ok(…), noop(…) or failed(…).`,
    );
  }
  if (returned.status !== 'success' || tool.resultSchema === null) return returned;
  let check = resultChecks.get(tool.moduleUrl + tool.name);
  if (check === undefined) {
    check = compileSchema(tool.resultSchema, { fillDefaults: false, whole: 'the data' });
    resultChecks.set(tool.moduleUrl + tool.name, check);
  }
  const problem = check(returned.data);
  return problem === null
    ? returned
    : failed('INVALID_RESULT', `${tool.name} returned data that do not fit: ${problem}`);
}

const isResult = (value: unknown): value is ToolResult => {
  if (typeof value !== 'object' || value === null || !('status' in value)) return false;
  const { status, code, message } = value as Record<string, unknown>;
  if (status === 'success') return 'data' in value;
  if (typeof message !== 'string') return false;
  return status === 'noop' || (status === 'error' && typeof code === 'string');
};

/** Null for what cannot be JSON, e.g. because it contains itself. */
function toText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

const notJson = (tool: ToolDescriptor): ToolResult =>
  failed('INVALID_RESULT', `${tool.name} returned something that is not JSON.`);

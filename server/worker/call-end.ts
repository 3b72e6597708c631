import { AppError, messageOf } from '../errors.ts';
import { withSystemHint } from '../tools/kit/system-hint.ts';
import { compileSchema, type SchemaCheck } from '../tools/kit/schema-check.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import { failed, toModelResult, type ToolResult } from '../tools/kit/tool-result.ts';
import type { CallEnd } from './messages.ts';

type EndOfResult = Omit<CallEnd, 'type' | 'hasThrown' | 'stack' | 'isDirty'>;

/** Characters of an output that are kept at all. */
const MAX_KEPT_CHARACTERS = 64_000_000;
const MAX_MESSAGE_CHARACTERS = 4_000;

const resultChecks = new Map<string, SchemaCheck>();

/** Brings what a tool returned into a form that the server can take without effort. */
export function endWith(returned: unknown, tool: ToolDescriptor, outputLimit: number): EndOfResult {
  const result = withSystemHint(checkResult(returned, tool), tool.systemHints);
  const modelText = toText(toModelResult(result));
  if (modelText === null) return endWith(notJson(tool), tool, outputLimit);
  const resultText = JSON.stringify(result);
  if (modelText.length <= outputLimit) {
    return { resultText, outputCharacters: modelText.length, overflow: null };
  }
  return {
    resultText: JSON.stringify(failed('OUTPUT_TOO_LARGE', '')),
    outputCharacters: modelText.length,
    overflow:
      modelText.length > MAX_KEPT_CHARACTERS
        ? null
        : new Uint8Array(Buffer.from(readable(modelText))),
  };
}

/** One long line is of no use to somebody who reads it in pages. */
const readable = (modelText: string): string => JSON.stringify(JSON.parse(modelText), null, 1);

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

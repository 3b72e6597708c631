import type { HistoryEntry, ModelAdapter, RawItems, StepPart } from './model.ts';
import { toWellFormedJson } from './well-formed.ts';

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? toWellFormedJson(value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Whether a call's arguments are the text of a JSON object. */
export const isArgumentsJson = (argumentsText: string): boolean =>
  readObject(argumentsText) !== null;

/** The object that a call's arguments stand for; providers take nothing else, so broken ones become `{}`. */
export const parseArguments = (argumentsText: string): Record<string, unknown> =>
  readObject(argumentsText) ?? {};

/** The arguments as JSON text that every server can parse. */
export const argumentsJson = (argumentsText: string): string =>
  JSON.stringify(parseArguments(argumentsText));

/** Names that every protocol takes; a model may have made up another one. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name of a called tool in a form that no provider refuses. */
export const sendableToolName = (name: string): string =>
  TOOL_NAME.test(name) ? name : name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';

/**
 * A step's raw items where this adapter's family made them and would take them back; null otherwise.
 */
export function ownRawItems(
  { raw, parts }: { readonly raw: RawItems | null; readonly parts: readonly StepPart[] },
  { protocol, family }: Pick<ModelAdapter, 'protocol' | 'family'>,
): readonly unknown[] | null {
  if (raw === null || raw.protocol !== protocol || raw.family !== family) return null;
  const areSendable = callsOf(parts).every(({ toolName }) => TOOL_NAME.test(toolName));
  return areSendable && raw.items.length > 0 ? raw.items : null;
}

export const callsOf = (parts: readonly StepPart[]) =>
  parts.filter((part) => part.type === 'tool-call');

export const textOf = (parts: readonly StepPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** A result for a call that has none: a history without it would be refused for ever. */
const MISSING_RESULT = JSON.stringify({
  status: 'error',
  code: 'INTERRUPTED',
  message: 'The call has no result.',
});

type ToolResults = Extract<HistoryEntry, { readonly type: 'tool-results' }>['results'];

/** Each call of a step with its result, in call order. */
export function pairResults(
  parts: readonly StepPart[],
  following: HistoryEntry | undefined,
): readonly {
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
}[] {
  const results: ToolResults = following?.type === 'tool-results' ? following.results : [];
  return callsOf(parts).map(
    ({ callId, toolName }) =>
      results.find((result) => result.callId === callId) ?? {
        callId,
        toolName,
        text: MISSING_RESULT,
        isError: true,
      },
  );
}

/** User messages that follow each other become one: some protocols insist on taking turns. */
export function mergeUsers(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const merged: HistoryEntry[] = [];
  for (const entry of history) {
    const last = merged.at(-1);
    if (entry.type === 'user' && last?.type === 'user') {
      merged[merged.length - 1] = { type: 'user', text: `${last.text}\n\n${entry.text}` };
    } else {
      merged.push(entry);
    }
  }
  return merged;
}

/** A message without words cannot be sent. */
export const orPlaceholder = (text: string): string => (text.trim() === '' ? '(empty)' : text);

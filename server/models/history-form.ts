import type { HistoryEntry, ModelAdapter, RawItems, StepPart } from './model.ts';

/** The object that a call's arguments stand for; providers take nothing else, so broken ones become `{}`. */
export function parseArguments(argumentsText: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(argumentsText);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The arguments as JSON text that every server can parse. */
export const argumentsJson = (argumentsText: string): string =>
  JSON.stringify(parseArguments(argumentsText));

/** A step's raw items where this adapter's family made them; null otherwise. */
export function ownRawItems(
  raw: RawItems | null,
  { protocol, family }: Pick<ModelAdapter, 'protocol' | 'family'>,
): readonly unknown[] | null {
  return raw !== null && raw.protocol === protocol && raw.family === family ? raw.items : null;
}

export const callsOf = (parts: readonly StepPart[]) =>
  parts.filter((part) => part.type === 'tool-call');

export const textOf = (parts: readonly StepPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** A result for a call that has none: a history without it would be refused for ever. */
export const MISSING_RESULT = JSON.stringify({
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

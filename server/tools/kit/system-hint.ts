import type { ToolResult } from './tool-result.ts';

type Hints = Readonly<Record<string, string>>;

/** The result with the tool's hint for its action or mode, unless it brings one of its own. */
export function withSystemHint(result: ToolResult, hints: Hints): ToolResult {
  if (result.systemHint !== undefined) return result;
  const hint = findHint(result.data, hints);
  return hint === undefined ? result : { ...result, systemHint: hint };
}

function findHint(data: unknown, hints: Hints): string | undefined {
  const { action, mode } = (typeof data === 'object' && data !== null ? data : {}) as Hints;
  const key = [action, mode, '*'].find((name) => name !== undefined && Object.hasOwn(hints, name));
  return key === undefined ? undefined : hints[key];
}

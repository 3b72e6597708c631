/** Deeper values would overflow the stack of whatever walks them recursively, `JSON.stringify` included. */
export const MAX_JSON_DEPTH = 100;

/** Whether lists and objects are nested deeper than that; walks level by level, without recursion. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly object[] = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

const MAX_NAME_CHARACTERS = 64;

/**
 * The name that was probably meant: the one with the fewest edits, if these are few enough for its
 * length. Case and separators do not count.
 */
export function findNearestName(wrong: string, names: Iterable<string>): string | null {
  const plain = simplify(wrong);
  if (plain.length === 0 || plain.length > MAX_NAME_CHARACTERS) return null;
  let best: { name: string; edits: number } | null = null;
  for (const name of names) {
    const edits = countEdits(plain, simplify(name));
    if (edits <= Math.max(1, Math.floor(plain.length / 3)) && edits < (best?.edits ?? Infinity)) {
      best = { name, edits };
    }
  }
  return best?.name ?? null;
}

const simplify = (name: string): string => name.toLowerCase().replaceAll(/[_\-. ]/g, '');

/** Levenshtein's distance. */
function countEdits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, character] of [...left].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = row[column - 1]! + (character === right[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}

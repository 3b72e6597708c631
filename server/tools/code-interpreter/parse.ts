import { parser } from '@lezer/python';

export type PythonTree = ReturnType<typeof parser.parse>;
export type PythonNode = PythonTree['topNode'];

export interface ParsedPython {
  readonly code: string;
  readonly tree: PythonTree;
  textOf(node: { readonly from: number; readonly to: number }): string;
  /** Line of a position, from 1. */
  lineOf(position: number): number;
}

export interface ParseOptions {
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
  readonly maxMs?: number;
}

/** Ordinary scripts take under 10 ms; what takes this long was written to. */
const MAX_PARSE_MS = 3_000;
const STEPS_PER_LOOK_AT_THE_TIME = 500;

/**
 * Reads Python without running it. The tree has error nodes where this grammar does not follow;
 * that says nothing about what Python accepts.
 * @returns Null when reading takes longer than `maxMs`.
 */
export function parsePython(code: string, options: ParseOptions = {}): ParsedPython | null {
  const { now = () => performance.now(), maxMs = MAX_PARSE_MS } = options;
  const deadline = now() + maxMs;
  const parse = parser.startParse(code);
  let tree: PythonTree | null = null;
  for (let step = 1; tree === null; step += 1) {
    if (step % STEPS_PER_LOOK_AT_THE_TIME === 0 && now() > deadline) return null;
    tree = parse.advance();
  }
  const lineStarts = findLineStarts(code);
  return {
    code,
    tree,
    textOf: ({ from, to }) => code.slice(from, to),
    lineOf: (position) => countUpTo(lineStarts, position),
  };
}

function findLineStarts(code: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of code.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return starts;
}

/** How many of the ascending `starts` are at or before `position`. */
function countUpTo(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function* childrenOf(node: PythonNode): Generator<PythonNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child;
}

/** The text of a plain string literal; null when it holds escapes or expressions, or is none. */
export function literalText(parsed: ParsedPython, node: PythonNode | null): string | null {
  if (node?.name !== 'String') return null;
  const match = /^([rRuU]?)("""|'''|"|')([\s\S]*)\2$/.exec(parsed.textOf(node));
  const [, prefix = '', , text = ''] = match ?? [];
  if (match === null || (text.includes('\\') && !/r/i.test(prefix))) return null;
  return text;
}

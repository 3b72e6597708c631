/** How large a JSON text is in ways that cost more than its characters. */
export interface JsonMeasure {
  /** Objects and arrays inside each other. */
  readonly depth: number;
  /** Values of all levels, at most one too many. */
  readonly values: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Measures a text in one pass without parsing it; a broken text is measured as far as it goes. */
export function measureJson(text: string): JsonMeasure {
  let [depth, deepest, values] = [0, 0, 1];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfText(text, index);
    else if (code === COMMA) values += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
      deepest = Math.max(deepest, depth);
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return { depth: deepest, values };
}

/** Where the quoted text that begins at `start` ends: its closing quote, or the end of everything. */
function endOfText(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index += 1;
    else if (code === QUOTE) return index;
  }
  return text.length;
}

/** The first place where a text stops being JSON. */
export interface JsonError {
  /** Characters before it. */
  readonly position: number;
  /** What should be there, e.g. `a value`. */
  readonly expected: string;
}

const BLANKS = /[ \t\n\r]*/y;
const PRIMITIVE = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const TEXT_PART = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** Raised inside this file only, to leave the nested readers at once. */
class Misplaced extends Error {
  readonly position: number;
  readonly expected: string;

  constructor(position: number, expected: string) {
    super(expected);
    this.position = position;
    this.expected = expected;
  }
}

/**
 * Says where and why a text is not JSON, which the errors of `JSON.parse` do not always tell.
 * The text must not be nested deeper than a call stack; see {@link measureJson}.
 *
 * @returns null for valid JSON.
 */
export function findJsonError(text: string): JsonError | null {
  try {
    const end = skipBlanks(text, readValue(text, skipBlanks(text, 0)));
    return end === text.length ? null : { position: end, expected: 'the end of the text' };
  } catch (error) {
    if (error instanceof Misplaced) return { position: error.position, expected: error.expected };
    throw error;
  }
}

/** Each reader takes where its part begins and returns where the rest goes on. */
function readValue(text: string, start: number): number {
  switch (text[start]) {
    case '{':
      return readList(text, start, { close: '}', item: readProperty });
    case '[':
      return readList(text, start, { close: ']', item: readValue });
    case '"':
      return readText(text, start);
    default:
      return readPrimitive(text, start);
  }
}

interface ListForm {
  readonly close: string;
  readonly item: (text: string, start: number) => number;
}

function readList(text: string, start: number, { close, item }: ListForm): number {
  let index = skipBlanks(text, start + 1);
  if (text[index] === close) return index + 1;
  for (;;) {
    index = skipBlanks(text, item(text, index));
    if (text[index] === close) return index + 1;
    if (text[index] !== ',') throw new Misplaced(index, `"," or "${close}"`);
    index = skipBlanks(text, index + 1);
  }
}

function readProperty(text: string, start: number): number {
  if (text[start] !== '"') throw new Misplaced(start, 'a name in double quotes');
  const colon = skipBlanks(text, readText(text, start));
  if (text[colon] !== ':') throw new Misplaced(colon, '":"');
  return readValue(text, skipBlanks(text, colon + 1));
}

function readText(text: string, start: number): number {
  const end = matchEnd(TEXT_PART, text, start + 1);
  if (text[end] === '"') return end + 1;
  if (end >= text.length) throw new Misplaced(end, 'a closing double quote');
  const expected = text[end] === '\\' ? 'a known escape' : 'an escaped control character';
  throw new Misplaced(end, expected);
}

function readPrimitive(text: string, start: number): number {
  const end = matchEnd(PRIMITIVE, text, start);
  if (end === start) throw new Misplaced(start, 'a value');
  return end;
}

const skipBlanks = (text: string, start: number): number => matchEnd(BLANKS, text, start);

/** Where a match that begins exactly at `start` ends; `start` when there is none. */
function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

import { Type, type Static } from 'typebox';
import { cutText } from '../kit/cut-text.ts';
import { integer, flag, list, object, oneOf, optional, text } from '../kit/parameters.ts';
import { fitBeginning } from '../view/fit-json.ts';
import type { PageOutcome } from './page-outcome.ts';

const textOrNull = Type.Union([Type.String(), Type.Null()]);

const pageResult = object({
  /** As it was asked for. */
  url: text(),
  title: text(),
  author: textOrNull,
  text: text(),
  offset: integer({ minimum: 0 }),
  total_characters: integer({ minimum: 0 }),
  truncated: flag(),
  fetch_status: oneOf(['success', 'error']),
  error: textOrNull,
});

/** What fetch_web_page answers; checked before it is stored. */
export const pageReport = object({
  mode: oneOf(['highlights', 'text']),
  results: list(pageResult),
  warnings: optional(list(text())),
});

export type PageReport = Static<typeof pageReport>;
export type PageResult = Static<typeof pageResult>;

export interface ReportOptions {
  readonly mode: 'text' | 'highlights';
  /** Characters of each text that are left out at its beginning. */
  readonly offset: number;
  /** Characters of each text; null for as many as fit. */
  readonly maxCharacters: number | null;
  /** Characters of JSON that the whole call may return. */
  readonly outputLimit: number;
  readonly warnings: readonly string[];
}

/** What the server adds to each result (its citation), and around all of them. */
const ADDED_TO_EACH = 40;
const ADDED_AROUND = 600;
const MAX_TITLE_CHARACTERS = 300;
const MAX_NOTE_CHARACTERS = 600;

const jsonLength = (value: unknown): number => JSON.stringify(value).length;

/**
 * The pages as the model gets them: each text from the offset on, all together within the output
 * limit. What one page does not need of its share the others have.
 */
export function reportPages(outcomes: readonly PageOutcome[], options: ReportOptions): PageReport {
  const { mode, warnings, outputLimit } = options;
  const pages = outcomes.map((outcome) => begin(outcome, options));
  const frame = (results: readonly PageResult[]): PageReport => ({
    mode,
    results: [...results],
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  });
  const fixed =
    jsonLength(frame(pages.map(({ result }) => result))) +
    pages.length * ADDED_TO_EACH +
    ADDED_AROUND;
  const room = Math.max(0, outputLimit - fixed);
  const needs = pages.map(({ wanted, rest, notes }) =>
    jsonLength(rest.slice(0, Math.min(wanted, room)) + endOf(notes)),
  );
  const shares = share(needs, room);
  return frame(pages.map((page, at) => finish(page, shares[at] ?? 0, mode)));
}

interface BegunPage {
  readonly result: PageResult;
  /** The text from the offset on. */
  readonly rest: string;
  /** Characters of it that are asked for. */
  readonly wanted: number;
  readonly notes: readonly string[];
}

function begin(outcome: PageOutcome, { offset, maxCharacters }: ReportOptions): BegunPage {
  const { url } = outcome;
  if ('error' in outcome) {
    const result: PageResult = {
      ...{ url, title: '', author: null, text: '', offset, total_characters: 0 },
      ...{ truncated: false, fetch_status: 'error', error: outcome.error },
    };
    return { result, rest: '', wanted: 0, notes: [] };
  }
  const { title, author, text: whole, notes = [] } = outcome.content;
  // Half a character is none: an offset into the middle of one goes back to its beginning.
  const start = /[\udc00-\udfff]/.test(whole.charAt(offset)) ? Math.max(0, offset - 1) : offset;
  const beyond =
    start > 0 && start >= whole.length
      ? [`Offset ${offset} is beyond the end of the text, which has ${whole.length} characters.`]
      : [];
  const result: PageResult = {
    url,
    title: cutText(title === '' ? hostOf(url) : title, MAX_TITLE_CHARACTERS),
    author,
    text: '',
    offset: start,
    total_characters: whole.length,
    truncated: false,
    fetch_status: 'success',
    error: null,
  };
  return {
    result,
    rest: whole.slice(start),
    wanted: maxCharacters ?? whole.length,
    notes: [...beyond, ...notes],
  };
}

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? url;

function finish(page: BegunPage, room: number, mode: ReportOptions['mode']): PageResult {
  const { result, rest, wanted, notes } = page;
  if (result.fetch_status === 'error') return result;
  const whole = rest + endOf(notes);
  if (rest.length <= wanted && jsonLength(whole) <= room) return { ...result, text: whole };
  const longestEnd = continuation(
    { from: result.offset, to: result.total_characters },
    result,
    mode,
  );
  const piece = fitBeginning(cutText(rest, wanted), Math.max(2, room - jsonLength(longestEnd)));
  const to = result.offset + piece.length;
  const end = continuation({ from: result.offset, to }, result, mode);
  return { ...result, text: piece + end, truncated: true };
}

/** Tells the reader of a piece how to get the next one, without a gap and without a repetition. */
function continuation(
  { from, to }: { readonly from: number; readonly to: number },
  { total_characters: total }: PageResult,
  mode: ReportOptions['mode'],
): string {
  if (mode === 'highlights') return '\n\n[There is more than fits here; ask a narrower query.]';
  return `\n\n[Characters ${from} to ${to} of ${total}. For the rest, fetch this page with offset ${to}.]`;
}

const endOf = (notes: readonly string[]): string =>
  notes.length === 0 ? '' : `\n\n[${cutText(notes.join(' '), MAX_NOTE_CHARACTERS)}]`;

/** Gives each what it needs, or else an equal part of what the modest ones have left. */
function share(needs: readonly number[], room: number): readonly number[] {
  const shares = needs.map(() => 0);
  const byNeed = needs.map((_, at) => at).sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0));
  let left = room;
  byNeed.forEach((at, order) => {
    const part = Math.min(needs[at] ?? 0, Math.floor(left / (byNeed.length - order)));
    shares[at] = part;
    left -= part;
  });
  return shares;
}

import { cutText } from '../kit/cut-text.ts';
import type { LocatedFile } from '../kit/tool-host.ts';
import { fitBeginning, fitEnd, mainPartLimit } from './fit-json.ts';
import { readBeginning, readLastLines, type TextPiece } from './read-text.ts';

/** Which part of a text is asked for. */
export type TextSelection =
  | { readonly from: 'start'; readonly maxCharacters: number }
  | { readonly from: 'head' | 'tail'; readonly lines: number };

export interface TextView {
  readonly piece: TextPiece;
  /** `whole` when nothing of the file is missing. */
  readonly selection: 'whole' | 'start' | 'head' | 'tail';
  readonly content: string;
  /** Less than what was asked for, because the limit came first; for `start`: more text follows. */
  readonly truncated: boolean;
}

/** Reads the selected part of a file, and no more of the disk than it takes. */
export function viewText(
  file: LocatedFile,
  selection: TextSelection,
  { outputLimit, signal }: { readonly outputLimit: number; readonly signal: AbortSignal },
): Promise<TextView> {
  const limit = mainPartLimit(outputLimit);
  if (selection.from === 'start') return viewStart(file, { ...selection, limit }, signal);
  const options = { lines: selection.lines, limit };
  return selection.from === 'head'
    ? viewHead(file, options, signal)
    : viewTail(file, options, signal);
}

async function viewStart(
  { path }: LocatedFile,
  { maxCharacters, limit }: { readonly maxCharacters: number; readonly limit: number },
  signal: AbortSignal,
): Promise<TextView> {
  const piece = await readBeginning(path, (text) => text.length > maxCharacters, signal);
  const content = fitBeginning(cutText(piece.text, maxCharacters), limit);
  const isWhole = piece.isWhole && content.length === piece.text.length;
  return { piece, content, selection: isWhole ? 'whole' : 'start', truncated: !isWhole };
}

interface LineOptions {
  readonly lines: number;
  readonly limit: number;
}

async function viewHead(
  { path }: LocatedFile,
  { lines, limit }: LineOptions,
  signal: AbortSignal,
): Promise<TextView> {
  const isEnough = (text: string): boolean =>
    text.length > limit || findLinesEnd(text, lines) !== null;
  const piece = await readBeginning(path, isEnough, signal);
  const end = findLinesEnd(piece.text, lines);
  const wanted = end === null ? piece.text : piece.text.slice(0, end);
  const content = fitBeginning(wanted, limit);
  const isWhole = piece.isWhole && content.length === piece.text.length;
  return {
    piece,
    content,
    selection: isWhole ? 'whole' : 'head',
    truncated: content.length < wanted.length || (end === null && !piece.isWhole),
  };
}

async function viewTail(
  { path }: LocatedFile,
  { lines, limit }: LineOptions,
  signal: AbortSignal,
): Promise<TextView> {
  // No encoding takes more than four bytes for a character.
  const piece = await readLastLines(path, { lines, maxBytes: limit * 4 }, signal);
  const content = fitEnd(piece.text, limit);
  const isWhole = piece.isWhole && content.length === piece.text.length;
  return {
    piece,
    content,
    selection: isWhole ? 'whole' : 'tail',
    truncated: content.length < piece.text.length,
  };
}

/** Where the last of `lines` lines ends, its line feed included; null when the text has fewer. */
function findLinesEnd(text: string, lines: number): number | null {
  let end = 0;
  for (let count = 0; count < lines; count += 1) {
    const lineFeed = text.indexOf('\n', end);
    if (lineFeed < 0) return null;
    end = lineFeed + 1;
  }
  return end;
}

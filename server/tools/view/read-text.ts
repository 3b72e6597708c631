import { open, type FileHandle } from 'node:fs/promises';
import {
  countLineFeeds,
  findByteOrderMark,
  guessUtf16,
  isDecodingError,
  type TextEncoding,
} from './text-encoding.ts';

/** A piece of a text file. */
export interface TextPiece {
  readonly text: string;
  readonly encoding: TextEncoding;
  /** No byte order mark told the encoding, and the bytes are no UTF-8. */
  readonly isGuessed: boolean;
  /** The piece is all of the file. */
  readonly isWhole: boolean;
}

/** Even, so that no UTF-16 unit lies across two blocks. */
const BLOCK_BYTES = 65_536;

/**
 * Reads a file from its beginning, block by block, until `isEnough` says so or it ends.
 * @throws the file system's error, or the signal's reason.
 */
export async function readBeginning(
  path: string,
  isEnough: (text: string) => boolean,
  signal: AbortSignal,
): Promise<TextPiece> {
  await using file = await open(path);
  const first = await readBlock(file, 0, BLOCK_BYTES);
  const known = findByteOrderMark(first) ?? guessUtf16(first);
  const decode = (encoding: TextEncoding) => decodeBlocks(file, { encoding, isEnough, signal });
  if (known !== null) return { ...(await decode(known)), isGuessed: false };
  try {
    return { ...(await decode('utf-8')), isGuessed: false };
  } catch (error) {
    if (!isDecodingError(error)) throw error;
    return { ...(await decode('windows-1252')), isGuessed: true };
  }
}

interface DecodeOptions {
  readonly encoding: TextEncoding;
  isEnough(text: string): boolean;
  readonly signal: AbortSignal;
}

async function decodeBlocks(
  file: FileHandle,
  { encoding, isEnough, signal }: DecodeOptions,
): Promise<Omit<TextPiece, 'isGuessed'>> {
  const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
  let text = '';
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const block = await readBlock(file, position, BLOCK_BYTES);
    if (block.length === 0) return { text: text + decoder.decode(), encoding, isWhole: true };
    position += block.length;
    // A character whose bytes go on in the next block is held back until then.
    text += decoder.decode(block, { stream: true });
    if (!isEnough(text)) continue;
    const { size } = await file.stat();
    const isWhole = position >= size;
    return { text: isWhole ? text + decoder.decode() : text, encoding, isWhole };
  }
}

/**
 * Reads the last lines of a file from its end, and no more of it than they take.
 *
 * @param maxBytes - read at most; longer lines are cut at their beginning.
 */
export async function readLastLines(
  path: string,
  { lines, maxBytes }: { readonly lines: number; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<TextPiece> {
  await using file = await open(path);
  const { size } = await file.stat();
  const first = await readBlock(file, 0, BLOCK_BYTES);
  const known = findByteOrderMark(first) ?? guessUtf16(first);
  const blocks: Buffer[] = [];
  let start = size;
  let lineFeeds = 0;
  // One line feed more than lines: the last line may end with one.
  while (start > 0 && lineFeeds <= lines && size - start < maxBytes) {
    signal.throwIfAborted();
    const end = start;
    start = Math.max(0, Math.floor((end - 1) / BLOCK_BYTES) * BLOCK_BYTES);
    const block = await readBlock(file, start, end - start);
    lineFeeds += countLineFeeds(block, known ?? 'utf-8');
    blocks.unshift(block);
  }
  const bytes = Buffer.concat(blocks);
  const piece = decodeEnd(bytes, known, start === 0);
  const text = takeLastLines(piece.text, lines);
  return { ...piece, text, isWhole: start === 0 && text === piece.text };
}

function decodeEnd(
  bytes: Buffer,
  known: TextEncoding | null,
  isFromStart: boolean,
): Omit<TextPiece, 'isWhole'> {
  if (known !== null && known !== 'utf-8') {
    return { text: new TextDecoder(known).decode(bytes), encoding: known, isGuessed: false };
  }
  // The first bytes may be the rest of a character that began in front of them.
  const whole = isFromStart ? bytes : bytes.subarray(findCharacterStart(bytes));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(whole);
    return { text, encoding: 'utf-8', isGuessed: false };
  } catch (error) {
    if (!isDecodingError(error)) throw error;
    const text = new TextDecoder('windows-1252').decode(bytes);
    return { text, encoding: 'windows-1252', isGuessed: true };
  }
}

/** UTF-8 marks bytes within a character by their two highest bits; at most three follow each other. */
function findCharacterStart(bytes: Buffer): number {
  const index = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, index);
}

function takeLastLines(text: string, lines: number): string {
  let index = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let count = 0; count < lines; count += 1) {
    // A search from a negative place would look at the first character once more.
    index = index <= 0 ? -1 : text.lastIndexOf('\n', index - 1);
    if (index < 0) return text;
  }
  return text.slice(index + 1);
}

/**
 * Counts all lines of a file; null when it is larger than `maxBytes`.
 * A last line without a line feed counts.
 */
export async function countLines(
  path: string,
  { encoding, maxBytes }: { readonly encoding: TextEncoding; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<number | null> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > maxBytes) return null;
  let lineFeeds = 0;
  let last: Buffer = Buffer.alloc(0);
  for (let position = 0; ; position += last.length) {
    signal.throwIfAborted();
    const block = await readBlock(file, position, BLOCK_BYTES);
    if (block.length === 0) break;
    lineFeeds += countLineFeeds(block, encoding);
    last = block;
  }
  const unitBytes = encoding.startsWith('utf-16') ? 2 : 1;
  const isOpen = last.length > 0 && countLineFeeds(last.subarray(-unitBytes), encoding) === 0;
  return lineFeeds + (isOpen ? 1 : 0);
}

async function readBlock(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

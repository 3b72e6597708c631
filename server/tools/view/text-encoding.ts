export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Share of zero bytes at every second place from which on a text without a mark is taken for UTF-16. */
const ZERO_SHARE = 0.3;

/** The encoding that the first bytes of a file tell by a byte order mark; null without one. */
export function findByteOrderMark(bytes: Uint8Array): TextEncoding | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** UTF-16 without a mark shows by its many zero bytes, all at even or all at odd places. */
export function guessUtf16(bytes: Uint8Array): TextEncoding | null {
  const zeros = [0, 0];
  bytes.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
  });
  const [even = 0, odd = 0] = zeros.map((count) => count / Math.max(1, bytes.length / 2));
  if (odd > ZERO_SHARE && even < odd / 4) return 'utf-16le';
  return even > ZERO_SHARE && odd < even / 4 ? 'utf-16be' : null;
}

/** Thrown by a strict decoder for bytes that are no UTF-8. */
export const isDecodingError = (error: unknown): boolean =>
  error instanceof TypeError &&
  'code' in error &&
  error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** Counts the line feeds in bytes that begin at an even place of the file. */
export function countLineFeeds(bytes: Uint8Array, encoding: TextEncoding): number {
  let count = 0;
  if (encoding === 'utf-8' || encoding === 'windows-1252') {
    for (const byte of bytes) if (byte === 0x0a) count += 1;
    return count;
  }
  const low = encoding === 'utf-16le' ? 0 : 1;
  for (let index = 0; index + 1 < bytes.length; index += 2) {
    if (bytes[index + low] === 0x0a && bytes[index + 1 - low] === 0) count += 1;
  }
  return count;
}

/** What a page's bytes say, and how they were read. */
export interface DecodedText {
  readonly text: string;
  /** Label of the encoding, as in the WHATWG Encoding Standard. */
  readonly encoding: string;
}

/** A page declares its encoding early, or not at all. */
const DECLARATION_BYTES = 4_096;
const DECLARATION = /<meta[^>]{0,400}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i;
const XML_DECLARATION = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})/i;
const LANGUAGE = /<html[^>]{0,400}?\slang\s*=\s*["']?([a-z]{2})/i;
/** What pages without any declaration are written in, by language. */
const BY_LANGUAGE: Readonly<Record<string, string>> = {
  ...{ ja: 'shift_jis', zh: 'gb18030', ko: 'euc-kr' },
  ...{ ru: 'windows-1251', uk: 'windows-1251', bg: 'windows-1251', sr: 'windows-1251' },
  ...{ pl: 'windows-1250', cs: 'windows-1250', sk: 'windows-1250', hu: 'windows-1250' },
  ...{ el: 'windows-1253', tr: 'windows-1254', he: 'windows-1255', ar: 'windows-1256' },
  ...{ lt: 'windows-1257', lv: 'windows-1257', et: 'windows-1257', vi: 'windows-1258' },
  th: 'windows-874',
};
const ZERO_SHARE = 0.3;
/** Share of broken places up to which a text passes for UTF-8 with a few slips in it. */
const BROKEN_SHARE = 0.005;

/**
 * Decodes a page whose charset may be missing or wrong: a byte order mark wins, bytes that make sense
 * as UTF-8 are UTF-8 whatever is declared, then the header, the page and its language are believed,
 * each only if the bytes make sense that way.
 *
 * @param charset - from the `Content-Type` header; null without one.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): DecodedText {
  const marked = findByteOrderMark(bytes) ?? guessUtf16(bytes);
  if (marked !== null) return decode(bytes, marked);
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  const declared = [
    charset,
    XML_DECLARATION.exec(beginning)?.[1],
    DECLARATION.exec(beginning)?.[1],
  ].filter((label) => typeof label === 'string');
  // Seven bits: the same in nearly every encoding, save those that escape into others.
  if (bytes.every((byte) => byte < 0x80)) {
    const escaping = declared.find((label) => /^(iso-2022-jp|csiso2022jp)$/i.test(label));
    return decode(bytes, escaping ?? 'utf-8');
  }
  const utf8 = tryStrictly(bytes, 'utf-8');
  if (utf8 !== null) return utf8;
  const isUtf8Declared = declared.some((label) => /^utf-?8$/i.test(label));
  const lenient = decode(bytes, 'utf-8');
  if (isUtf8Declared && brokenShare(lenient.text) < BROKEN_SHARE) return lenient;
  const language = LANGUAGE.exec(beginning)?.[1]?.toLowerCase() ?? '';
  for (const label of [...declared, BY_LANGUAGE[language] ?? '', 'windows-1252']) {
    const decoded = tryStrictly(bytes, label);
    if (decoded !== null) return decoded;
  }
  return lenient;
}

function findByteOrderMark(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

/** Markup in UTF-16 without a mark: every second byte of its beginning is zero. */
function guessUtf16(bytes: Uint8Array): string | null {
  const zeros = [0, 0];
  const beginning = bytes.subarray(0, DECLARATION_BYTES);
  beginning.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
  });
  const [even = 0, odd = 0] = zeros.map((count) => count / Math.max(1, beginning.length / 2));
  if (odd > ZERO_SHARE && even < odd / 4) return 'utf-16le';
  return even > ZERO_SHARE && odd < even / 4 ? 'utf-16be' : null;
}

function tryStrictly(bytes: Uint8Array, label: string): DecodedText | null {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch (error) {
    // An unknown label is a RangeError, a byte that makes no sense a TypeError.
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}

function decode(bytes: Uint8Array, label: string): DecodedText {
  const decoder = new TextDecoder(label);
  return { text: decoder.decode(bytes), encoding: decoder.encoding };
}

const brokenShare = (text: string): number =>
  (text.match(/\ufffd/g)?.length ?? 0) / Math.max(1, text.length);

/** The `charset` of a `Content-Type` header. */
export const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(contentType)?.[1] ?? null;

import { describe, expect, test } from 'vitest';
import { charsetOf, decodeText } from '../../../server/tools/fetch/html/decode-text.ts';

/** Bytes of texts in encodings that Node reads but does not write. */
const bytes = (hex: string): Uint8Array => Buffer.from(hex.replace(/ /g, ''), 'hex');
const JAPANESE = { sjis: bytes('93fa967b8cea'), eucjp: bytes('c6fccbdcb8ec'), text: '日本語' };
const RUSSIAN = { cp1251: bytes('cff0e8e2e5f2'), koi8: bytes('f0d2c9d7c5d4'), text: 'Привет' };

const page = (head: string, text: Uint8Array, language = ''): Uint8Array =>
  Buffer.concat([
    Buffer.from(`<html${language === '' ? '' : ` lang="${language}"`}><head>${head}</head><p>`),
    text,
    Buffer.from('</p>'),
  ]);

describe('the charset of a page', () => {
  test.each([
    ['in its header', page('', JAPANESE.sjis), 'Shift_JIS', JAPANESE.text],
    ['in its head', page('<meta charset=euc-jp>', JAPANESE.eucjp), null, JAPANESE.text],
    [
      'in an old form',
      page('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', RUSSIAN.koi8),
      null,
      RUSSIAN.text,
    ],
    ['nowhere, but in its language', page('', RUSSIAN.cp1251, 'ru'), null, RUSSIAN.text],
    ['nowhere at all', page('', bytes('4772fcdf65')), null, 'Grüße'],
    ['nowhere, being UTF-8', page('', Buffer.from('Grüße 日本')), null, 'Grüße 日本'],
    ['wrong: Latin-1 for UTF-8', page('', Buffer.from('Grüße')), 'iso-8859-1', 'Grüße'],
    ['wrong: UTF-8 for Latin-1', page('', bytes('4772fcdf65')), 'utf-8', 'Grüße'],
    [
      'wrong: UTF-8 in the header, the truth in the head',
      page('<meta charset="windows-1251">', RUSSIAN.cp1251),
      'utf-8',
      RUSSIAN.text,
    ],
    ['unknown', page('', Buffer.from('Grüße')), 'x-nonsense', 'Grüße'],
    [
      'UTF-8 with a slip',
      page('', Buffer.concat([Buffer.from('Grüße '.repeat(200)), bytes('ff')])),
      'utf-8',
      'Grüße',
    ],
    [
      'seven bits with escapes',
      page('', bytes('1b2442467c4b5c386c1b2842')),
      'iso-2022-jp',
      '日本語',
    ],
  ])('%s is found', (...[, body, header, text]) => {
    expect(decodeText(body, header).text).toContain(text);
  });

  test.each([
    ['utf-8', Buffer.concat([bytes('efbbbf'), Buffer.from('Grüße')])],
    ['utf-16le', Buffer.concat([bytes('fffe'), Buffer.from('Grüße', 'utf16le')])],
    ['utf-16be', Buffer.concat([bytes('feff'), Buffer.from('Grüße', 'utf16le').swap16()])],
    ['utf-16le', Buffer.from('<p>Grüße</p>', 'utf16le')],
    ['utf-16be', Buffer.from('<p>Grüße</p>', 'utf16le').swap16()],
  ])('%s tells by its first bytes, whatever is declared', (encoding, body) => {
    const decoded = decodeText(body, 'shift_jis');

    expect(decoded.encoding).toBe(encoding);
    expect(decoded.text).toContain('Grüße');
  });

  test.each([
    ['text/html; charset=utf-8', 'utf-8'],
    ['text/html;charset="Shift_JIS"', 'Shift_JIS'],
    ["text/html; a=b; charset='koi8-r'", 'koi8-r'],
    ['text/html', null],
  ])('%s names %s', (header, charset) => {
    expect(charsetOf(header)).toBe(charset);
  });
});

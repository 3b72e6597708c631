import { expect, test } from 'vitest';
import { summarise } from '#lib/chat/call-summary.ts';
import { readArticle } from '#lib/chat/wiki.ts';
import { formatBytes } from '#lib/format/bytes.ts';
import { formatDuration } from '#lib/format/duration.ts';
import { formatTime } from '#lib/format/time.ts';
import { decodeEntities } from '#lib/markdown/entities.ts';
import { safeImage, safeLink } from '#lib/markdown/safe-url.ts';
import { listFields, readArguments } from '#lib/operator/schema-form.ts';

const BASE = 'https://box.example';

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [1_000, '1.0 kB'],
  [999_960, '1.0 MB'],
  [1_440_000, '1.4 MB'],
  [5e12, '5000.0 GB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [999.7, '1.0 s'],
  [1_250, '1.3 s'],
  [59_940, '59.9 s'],
  [59_990, '1 min 0 s'],
  [185_000, '3 min 5 s'],
])('%d milliseconds read as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test('a time of today shows the hour, an older one the day', () => {
  const now = new Date(2026, 10, 30, 12, 0).getTime();
  const at = (...parts: [number, number, number, number, number]): string =>
    formatTime(new Date(...parts).toISOString(), 'en-GB', now);

  expect(at(2026, 10, 30, 9, 5)).toBe('09:05');
  expect(at(2026, 10, 29, 23, 0)).toBe('29 Nov 2026');
  expect(at(2026, 9, 30, 12, 0)).toBe('30 Oct 2026');
});

test.each([
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://box.example/1',
  'http://[',
])('a link to %j leads nowhere', (address) => {
  expect(safeLink(address, BASE)).toBeNull();
});

test('links to the web and to mail stay', () => {
  expect(safeLink('https://example.org/a?b#c', BASE)).toBe('https://example.org/a?b#c');
  expect(safeLink('mailto:ada@example.org', BASE)).toBe('mailto:ada@example.org');
  expect(safeLink('/chats/1', BASE)).toBe(`${BASE}/chats/1`);
});

test('only pictures among the own files are loaded, and no query goes with them', () => {
  expect(safeImage('/generated-files/c/f.png', BASE)).toBe(`${BASE}/generated-files/c/f.png`);
  for (const address of [
    'https://evil.example/generated-files/c/f.png',
    '//evil.example/generated-files/c/f.png',
    '/generated-files/../graphql',
    '/generated-files/c/f.png?q=secret',
    '/graphql',
    'data:image/png;base64,AAAA',
  ]) {
    expect(safeImage(address, BASE), address).toBeNull();
  }
});

test('entities become the characters that they stand for, once', () => {
  expect(decodeEntities('a &amp;lt; b')).toBe('a &lt; b');
  expect(decodeEntities('&#x41;&#66;&euro;&unknown;')).toBe('AB€&unknown;');
  expect(decodeEntities('&#0;&#xd800;&#1114112;')).toBe('\ufffd\ufffd\ufffd');
});

test('a card sums a call up by the values of its arguments, readable or not', () => {
  expect(summarise('{"city":"Bergen","days":3}')).toBe('Bergen · 3');
  expect(summarise('{"city":"Ber')).toBe('{"city":"Ber');
  expect(summarise('null')).toBe('');
  expect(summarise(JSON.stringify({ a: 'x'.repeat(500) }))).toHaveLength(120);
});

test('an article needs a name and an address; other data is no article', () => {
  expect(
    readArticle({ pages: [{ title: 'Tide', url: 'https://w/Tide', extract: 'Water.' }] }),
  ).toEqual([{ title: 'Tide', url: 'https://w/Tide', text: 'Water.' }]);
  expect(readArticle({ pages: [{ title: 'Tide' }, 'text', null] })).toEqual([]);
  expect(readArticle({ other: 1 })).toBeNull();
  expect(readArticle('text')).toBeNull();
});

test('a form asks for required parameters first and leaves empty ones out', () => {
  const fields = listFields({
    properties: {
      limit: { type: 'integer', default: 3 },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array' },
      query: { type: 'string', description: 'What?' },
      exact: { type: 'boolean' },
    },
    required: ['query'],
  });

  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['query', 'text'],
    ['limit', 'number'],
    ['kind', 'choice'],
    ['tags', 'json'],
    ['exact', 'flag'],
  ]);
  const texts = { query: 'x', limit: '5', kind: '', tags: '["t"]', exact: 'true' };
  expect(readArguments(fields, texts)).toEqual({ query: 'x', limit: 5, tags: ['t'], exact: true });
  expect(() => readArguments(fields, { tags: '[' })).toThrow('tags must be JSON.');
});

import { expect, test } from 'vitest';
import { cutText, shorten } from '../../../server/tools/kit/cut-text.ts';

test('a text is cut between what people see as characters', () => {
  const family = '👨‍👩‍👧';
  expect(cutText(`ab${family}`, 3)).toBe('ab');
  expect(cutText(`ab${family}`, 2 + family.length)).toBe(`ab${family}`);
  expect(cutText('plain text', 5)).toBe('plain');
});

test('a cut in the middle of a long text is at its border too', () => {
  const text = '🙂'.repeat(5_000);

  expect(cutText(text, 2_001)).toBe('🙂'.repeat(1_000));
});

test('one endless character is cut all the same', () => {
  const endless = `e${'\u0301'.repeat(5_000)}`;

  expect(cutText(endless, 1_000)).toHaveLength(1_000);
});

test('what is missing counts among the characters', () => {
  expect(shorten('plain text', 6)).toBe('plain…');
  expect(shorten('plain', 5)).toBe('plain');
});

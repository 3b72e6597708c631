import { expect, test } from 'vitest';
import german from '../../console/messages/de.json';
import english from '../../console/messages/en.json';

/** The values that a message wants, by the key of the message. */
const placeholders = (messages: object): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(messages).map(([key, text]) => [
      key,
      [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort(),
    ]),
  );

test('every message is there in English and German, and takes the same values', () => {
  expect(placeholders(german)).toEqual(placeholders(english));
});

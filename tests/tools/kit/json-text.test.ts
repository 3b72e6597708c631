import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonError, measureJson } from '../../../server/tools/kit/json-text.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** JSON in which a few characters were changed, left out or added. */
const nearlyJson = fc
  .record({
    text: fc.oneof(
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
    ),
    position: fc.nat({ max: 60 }),
    removed: fc.nat({ max: 2 }),
    added: fc.constantFrom(
      '',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      '\\',
      '\n',
      't',
    ),
  })
  .map(({ text, position, removed, added }) => {
    const at = Math.min(position, text.length);
    return text.slice(0, at) + added + text.slice(at + removed);
  });

test('an error is found in exactly the texts that are no JSON', () => {
  fc.assert(
    fc.property(nearlyJson, (text) => (findJsonError(text) === null) === isJson(text)),
    { numRuns: 3_000 },
  );
});

test.each([
  ['{"a": 1,}', 8, 'a name in double quotes'],
  ["{'a': 1}", 1, 'a name in double quotes'],
  ['{"a" 1}', 5, '":"'],
  ['[1 2]', 3, '"," or "]"'],
  ['{"a": "x', 8, 'a closing double quote'],
  ['{"a": tru}', 6, 'a value'],
  ['{} {}', 3, 'the end of the text'],
  ['["\\x"]', 2, 'a known escape'],
])('%s is told where it goes wrong, and what should be there', (text, position, expected) => {
  expect(findJsonError(text)).toEqual({ position, expected });
});

describe('the measure of a text', () => {
  test('counts depth and values, not what is inside quotes', () => {
    expect(measureJson('{"a": [1, [2, "[[[,,,\\"[["]]}')).toMatchObject({ depth: 3 });
    expect(measureJson(JSON.stringify(Array(100).fill(0))).values).toBeGreaterThanOrEqual(100);
  });

  test('is never smaller than what the parsed value has', () => {
    const sizeOf = (value: unknown): { depth: number; values: number } => {
      if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
      const parts = Object.values(value).map(sizeOf);
      return {
        depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
        values: 1 + parts.reduce((sum, { values }) => sum + values, 0),
      };
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { depth, values } = sizeOf(value);
        const measured = measureJson(JSON.stringify(value));
        return measured.depth === depth && measured.values >= values;
      }),
    );
  });
});

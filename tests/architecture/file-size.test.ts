import { expect, test } from 'vitest';
import { listSourceFiles, readSourceFile } from './source-files.ts';

const MAX_LINES = 400;
const MAX_TEST_LINES = 500;

const code = listSourceFiles().filter(
  (path) => /\.(ts|mjs|js|svelte|css)$/.test(path) && !/\.d\.ts$/.test(path),
);
const countLines = (path: string) => readSourceFile(path).trimEnd().split('\n').length;

test(`no file has more than ${MAX_LINES} lines, no test more than ${MAX_TEST_LINES}`, () => {
  const tooLong = code
    .map((path) => ({ path, lines: countLines(path) }))
    .filter(({ path, lines }) => lines > (path.startsWith('tests/') ? MAX_TEST_LINES : MAX_LINES));

  expect(tooLong).toEqual([]);
});

import { expect, test } from 'vitest';
import { listSourceFiles, readSourceFile } from './source-files.ts';

const TEXT = /\.(ts|mjs|js|json|svelte|css|html|md|prisma|sql|yml|yaml|graphql|py|sh|txt)$|^[^.]+$/;

/** This file names what it forbids. */
const files = listSourceFiles().filter(
  (path) => TEXT.test(path) && path !== 'tests/architecture/self-contained.test.ts',
);

/** @returns `path:line: text` of each line that matches, the package lock left out. */
function findLines(pattern: RegExp, within = /./): string[] {
  return files
    .filter((path) => within.test(path) && path !== 'package-lock.json')
    .flatMap((path) =>
      readSourceFile(path)
        .split('\n')
        .map((line, index) => ({ line, place: `${path}:${index + 1}` })),
    )
    .filter(({ line }) => pattern.test(line))
    .map(({ line, place }) => `${place}: ${line.trim().slice(0, 120)}`);
}

test('no file names a path of one machine', () => {
  expect(findLines(/(^|[^\w.$}/-])\/(work|farm|root|tmp\/brief|home\/\w+)\//)).toEqual([]);
});

test('the lockfile holds no download addresses', () => {
  expect(readSourceFile('package-lock.json').match(/"resolved": *"https?:[^"]*"/g)).toBeNull();
});

test('no test is switched off, and none switches off the others', () => {
  expect(findLines(/\b(it|test|describe|suite)\.(skip|only|todo|fixme)\(/, /^tests\//)).toEqual([]);
});

test('nothing is left for later', () => {
  const marks = /\b(TODO|FIXME|XXX|HACK)\b|not (yet )?implemented|coming soon/;

  expect(findLines(marks, /\.(ts|mjs|js|svelte|css|prisma|sql|py)$/)).toEqual([]);
});

test('no file is named as a drawer', () => {
  const drawers = /(^|\/)(index|utils?|helpers?|common|types|misc|manager)\.(ts|mjs|js|svelte)$/;

  expect(files.filter((path) => drawers.test(path))).toEqual([]);
});

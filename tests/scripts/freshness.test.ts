import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFreshness } from '../../scripts/freshness.mjs';

const target = {
  name: 'page',
  inputs: ['src', 'lock'],
  outputs: ['out/page'],
  ignore: ['src/made'],
};

let folder = '';
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const makePage = async () => write('out/page', 'page');
const create = () => createFreshness(folder, '.cache/stamps.json');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-freshness-'));
  for (const name of ['src', 'src/made', 'out']) mkdirSync(join(folder, name));
  write('src/a', 'one');
  write('lock', '1');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('what was never made is stale, and fresh once it is made', async () => {
  expect(create().isFresh(target)).toBe(false);

  await create().make(target, makePage);

  expect(create().isFresh(target)).toBe(true);
});

test('a new time without new content leaves it fresh', async () => {
  await create().make(target, makePage);

  utimesSync(join(folder, 'src/a'), new Date(0), new Date(0));

  expect(create().isFresh(target)).toBe(true);
});

test.each([
  ['changed content', () => write('src/a', 'two')],
  ['a new file', () => write('src/b', '')],
  ['a file less', () => rmSync(join(folder, 'src/a'))],
  ['another lock', () => write('lock', '2')],
  ['a missing output', () => rmSync(join(folder, 'out/page'))],
  ['damaged stamps', () => write('.cache/stamps.json', '{')],
])('%s makes it stale', async (_change, change) => {
  await create().make(target, makePage);

  change();

  expect(create().isFresh(target)).toBe(false);
});

test('what is ignored does not count', async () => {
  await create().make(target, makePage);

  write('src/made/by-a-tool', '');

  expect(create().isFresh(target)).toBe(true);
});

test('a file that is saved while it is made leaves it stale', async () => {
  await create().make(target, async () => {
    await makePage();
    write('src/a', 'two');
  });

  expect(create().isFresh(target)).toBe(false);
});

test('a step that makes nothing fails, and so does the next look', async () => {
  await expect(create().make(target, async () => {})).rejects.toThrow('out/page');

  expect(create().isFresh(target)).toBe(false);
});

test('targets do not forget each other', async () => {
  const other = { ...target, name: 'other' };
  await create().make(target, makePage);
  await create().make(other, makePage);

  expect([create().isFresh(target), create().isFresh(other)]).toEqual([true, true]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { areInstalled } from '../../scripts/install.mjs';

const ajv = { version: '8.0.0', integrity: 'sha512-a' };
const wishes = { dependencies: { ajv: '8.0.0' } };

let folder = '';
const write = (path: string, value: unknown) =>
  writeFileSync(join(folder, path), JSON.stringify(value));
const writeInstalled = (packages: Record<string, unknown>) =>
  write('node_modules/.package-lock.json', { packages });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-install-'));
  mkdirSync(join(folder, 'node_modules'));
  write('package.json', wishes);
  write('package-lock.json', {
    packages: {
      '': wishes,
      'node_modules/ajv': ajv,
      'node_modules/for-windows': { version: '1.0.0', optional: true },
    },
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the locked packages are installed, those of other platforms left out', () => {
  writeInstalled({ 'node_modules/ajv': ajv });

  expect(areInstalled(folder)).toBe(true);
});

test('without a trace of npm nothing is installed', () => {
  expect(areInstalled(folder)).toBe(false);
});

test.each([
  ['a missing package', {}],
  ['another version', { 'node_modules/ajv': { ...ajv, version: '8.0.1' } }],
  ['another archive of the same version', { 'node_modules/ajv': { ...ajv, integrity: 'b' } }],
])('%s is not what the lockfile says', (_difference, installed) => {
  writeInstalled(installed);

  expect(areInstalled(folder)).toBe(false);
});

test('a dependency that the lockfile does not know yet is not installed', () => {
  writeInstalled({ 'node_modules/ajv': ajv });
  write('package.json', { dependencies: { ajv: '8.0.0', pino: '10.4.0' } });

  expect(areInstalled(folder)).toBe(false);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  addCounts,
  countPlaywright,
  countVitest,
  describeCounts,
  takeReport,
} from '../../scripts/tally.mjs';

const report = {
  numPassedTests: 3,
  numFailedTests: 1,
  numPendingTests: 1,
  numTodoTests: 0,
  testResults: [{ status: 'failed', assertionResults: [{}] }],
};

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'signalbox-tally-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('a file that cannot be loaded counts as a failure', () => {
  const broken = { status: 'failed', assertionResults: [] };

  expect(countVitest({ ...report, testResults: [broken] }).failed).toBe(2);
});

test('an error outside every browser test counts as a failure', () => {
  const stats = { expected: 2, flaky: 0, unexpected: 0, skipped: 0 };

  expect(countPlaywright({ stats, errors: [{}] })).toEqual({ passed: 2, failed: 1, skipped: 0 });
});

test('a run that fails without a failed test, or without a report, counts as one failure', () => {
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify({ ...report, numFailedTests: 0, testResults: [] }));

  expect(takeReport(path, countVitest, 1)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  expect(takeReport(path, countVitest, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('skipped tests are told only where there are some', () => {
  const some = { passed: 1, failed: 0, skipped: 2 };

  expect(describeCounts(addCounts(some, some))).toBe('2 passed, 0 failed, 4 skipped');
  expect(describeCounts({ passed: 1, failed: 0, skipped: 0 })).toBe('1 passed, 0 failed');
});

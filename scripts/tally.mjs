// Adds up what the suites report.
import { existsSync, readFileSync, rmSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @returns {Counts} the sum. */
export function addCounts(left, right) {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

/** @param {Counts} counts */
export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * Reads the report that a run has left, and removes it.
 *
 * @param {string} path - of the JSON report.
 * @param {(report: any) => Counts} count
 * @param {number} exitCode - of the run: one that failed counts as a failure, whatever it reports.
 * @returns {Counts}
 */
export function takeReport(path, count, exitCode) {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  if (existsSync(path)) {
    counts = count(JSON.parse(readFileSync(path, 'utf8')));
    rmSync(path);
  }
  if (exitCode !== 0 && counts.failed === 0) return { ...counts, failed: 1 };
  return counts;
}

/** @param {any} report - of Vitest's JSON reporter. */
export function countVitest(report) {
  // A file that cannot be loaded holds no test that could fail.
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @param {any} report - of Playwright's JSON reporter. */
export function countPlaywright({ stats, errors }) {
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

/**
 * The last step of `.ci/run`: counts the tests of the runners' JSON reports, regardless of exit codes. Fails where a
 * report is missing, has no executed test, or has a failed one.
 */
import { readFileSync } from 'node:fs';

interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}
interface PlaywrightReport {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
  readonly errors: readonly unknown[];
}

/** A file that could not be loaded, or an error outside of every test, counts as one failed test. */
function countTests(report: unknown): TestCounts {
  if (isPlaywright(report)) {
    const { expected, unexpected, flaky } = report.stats;
    return { passed: expected + flaky, failed: unexpected + report.errors.length };
  }
  const { success, numPassedTests, numFailedTests } = report as VitestReport;
  return { passed: numPassedTests, failed: success ? numFailedTests : Math.max(numFailedTests, 1) };
}

const isPlaywright = (report: unknown): report is PlaywrightReport =>
  typeof report === 'object' && report !== null && 'stats' in report;

/** Sums the counts of the reports; `problems` lists reports that are unreadable or contain no executed test. */
export function sumReports(files: readonly string[]): TestCounts & { readonly problems: readonly string[] } {
  const problems: string[] = [];
  let [passed, failed] = [0, 0];
  for (const file of files) {
    try {
      const counts = countTests(JSON.parse(readFileSync(file, 'utf8')));
      if (counts.passed + counts.failed === 0) problems.push(`${file}: no test was executed`);
      passed += counts.passed;
      failed += counts.failed;
    } catch (problem) {
      problems.push(`${file}: ${problem instanceof Error ? problem.message : String(problem)}`);
    }
  }
  return { passed, failed, problems };
}

if (process.argv[1] === import.meta.filename) {
  const { passed, failed, problems } = sumReports(process.argv.slice(2));
  for (const problem of problems) console.error(problem);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0 || problems.length > 0) process.exitCode = 1;
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sumReports } from '../../scripts/count-tests.ts';

const vitest = (numPassedTests: number, numFailedTests: number, success = numFailedTests === 0) => ({
  success,
  numPassedTests,
  numFailedTests,
});
const playwright = (expected: number, unexpected: number, errors: readonly unknown[] = []) => ({
  stats: { expected, unexpected, flaky: 0 },
  errors,
});

async function count(...reports: readonly unknown[]) {
  const folder = await mkdtemp(join(tmpdir(), 'count-tests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = reports.map((_, index) => join(folder, `${index}.json`));
  for (const [index, report] of reports.entries())
    if (report !== undefined) await writeFile(files[index] ?? '', JSON.stringify(report));
  const { passed, failed, problems } = sumReports(files);
  return [passed, failed, problems.length];
}

it('sums the tests of both runners', async () => {
  expect(await count(vitest(3, 0), playwright(2, 0))).toEqual([5, 0, 0]);
});

it.each([
  ['a failed test of Vitest', [vitest(3, 1), playwright(2, 0)], [5, 1, 0]],
  ['a file that Vitest could not load', [vitest(3, 0, false), playwright(2, 0)], [5, 1, 0]],
  ['a failed journey', [vitest(3, 0), playwright(1, 1)], [4, 1, 0]],
  ['an error outside of every journey', [vitest(3, 0), playwright(2, 0, [{}])], [5, 1, 0]],
  ['a run without a test', [vitest(0, 0), playwright(2, 0)], [2, 0, 1]],
  ['a missing report', [vitest(3, 0), undefined], [3, 0, 1]],
])('finds %s', async (_, reports, result) => {
  expect(await count(...reports)).toEqual(result);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { formatResults, parseTimes, type Step, type StepResult } from '../../scripts/steps.ts';

function run(steps: readonly Step[], continuesAfterFailure: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'steps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const report = join(folder, 'steps.json');
  const script = join(folder, 'run.mts');
  const options = { continuesAfterFailure, report };
  writeFileSync(
    script,
    `import { runSteps } from ${JSON.stringify(resolve('scripts/steps.ts'))};
     runSteps(${JSON.stringify(steps)}, ${JSON.stringify(options)});`,
  );
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script], { encoding: 'utf8' });
  return { status, stderr, results: JSON.parse(readFileSync(report, 'utf8')) as StepResult[] };
}

const red: Step = { name: 'a red step', command: 'node -e "process.exit(3)"', environment: { DEPTH: '7' } };
const green: Step = { name: 'a green step', command: 'node -e "while (process.cpuUsage().user < 3e5);"' };

it('a failed step names itself and the command that repeats it, and ends the run', () => {
  const { status, stderr, results } = run([red, green], false);
  expect(status).toBe(1);
  expect(stderr).toContain('✗ a red step failed. Run it again: DEPTH=7 node -e "process.exit(3)"');
  expect(results.map(({ name, passed }) => [name, passed])).toEqual([['a red step', false]]);
});

it('the steps after a failed one run if the option says so, with their processor time', () => {
  const { status, results } = run([red, green], true);
  expect(status).toBe(1);
  expect(results.map(({ passed }) => passed)).toEqual([false, true]);
  expect(results[1]?.cpuSeconds).toBeGreaterThan(0.3);
});

it.each([
  ['0m0.010s 0m0.000s\n1m2.500s 0m3.250s\n', 65.75],
  ['', null],
])('reads what `times` prints', (output, seconds) => {
  expect(parseTimes(output)).toBe(seconds);
});

it('prints a line per step and their sum', () => {
  expect(
    formatResults([
      { name: 'check', passed: true, wallSeconds: 61, cpuSeconds: 100.4 },
      { name: 'tests', passed: false, wallSeconds: 125, cpuSeconds: 240 },
    ]),
  ).toBe(
    [
      '✓ check                      1:01   1:40 of a processor',
      '✗ tests                      2:05   4:00 of a processor',
      '✗ all                        3:06   5:40 of a processor',
    ].join('\n'),
  );
});

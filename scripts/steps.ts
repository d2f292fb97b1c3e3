/** Runs the steps of `npm test` and `npm run test:nightly`, and says what each cost and how to repeat one that failed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface StepResult {
  readonly name: string;
  readonly passed: boolean;
  readonly wallSeconds: number;
  /** Processor time of all processes that ended in the step, user and system; null where the machine has no POSIX shell. */
  readonly cpuSeconds: number | null;
}

export interface StepsOptions {
  /** Whether the steps after a failed one run, too. */
  readonly continuesAfterFailure: boolean;
  /** The file that gets the results as JSON. */
  readonly report: string;
}

/** Sets the exit code to 1 where a step fails. */
export function runSteps(steps: readonly Step[], options: StepsOptions): void {
  const results: StepResult[] = [];
  for (const step of steps) {
    console.log(`\n── ${step.name}: ${repeat(step)}`);
    const result = runStep(step);
    results.push(result);
    if (!result.passed && !options.continuesAfterFailure) break;
  }
  mkdirSync(dirname(options.report), { recursive: true });
  writeFileSync(options.report, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\n${formatResults(results)}`);
  for (const { name } of results.filter(({ passed }) => !passed)) {
    const step = steps.find((each) => each.name === name);
    if (step) console.error(`✗ ${name} failed. Run it again: ${repeat(step)}`);
    process.exitCode = 1;
  }
}

function runStep({ name, command, environment }: Step): StepResult {
  const startedMs = performance.now();
  const hasShell = process.platform !== 'win32';
  // `times` is the shell's own measure of the children that it has waited for, and theirs.
  const { status, output } = spawnSync(
    hasShell ? `${command}\nstatus=$?; times >&3; exit $status` : command,
    {
      shell: true,
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      env: { ...process.env, ...environment },
    },
  );
  return {
    name,
    passed: status === 0,
    wallSeconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: hasShell ? parseTimes(String(output[3] ?? '')) : null,
  };
}

/** The seconds of the children in the output of `times`: a line of the shell's own, one of its children's, user and system. */
export function parseTimes(output: string): number | null {
  const children = output.trim().split('\n')[1];
  const parts = [...(children ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) return null;
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

const clock = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** A line per step, and their sum: elapsed minutes and CPU minutes. */
export function formatResults(results: readonly StepResult[]): string {
  const sum = {
    name: 'all',
    passed: results.every(({ passed }) => passed),
    wallSeconds: results.reduce((total, { wallSeconds }) => total + wallSeconds, 0),
    cpuSeconds: results.reduce<number | null>(
      (total, { cpuSeconds }) => (total === null || cpuSeconds === null ? null : total + cpuSeconds),
      0,
    ),
  };
  return [...results, sum]
    .map(({ name, passed, wallSeconds, cpuSeconds }) =>
      [
        passed ? '✓' : '✗',
        name.padEnd(24),
        clock(wallSeconds).padStart(6),
        ...(cpuSeconds === null ? [] : [`${clock(cpuSeconds).padStart(6)} of a processor`]),
      ].join(' '),
    )
    .join('\n');
}

function repeat({ command, environment = {} }: Step): string {
  return [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), command].join(' ');
}

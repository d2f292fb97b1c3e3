import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

type CheckStep = readonly [name: string, command: string, forbidden?: string];

const tsc = 'node node_modules/typescript-native/bin/tsc -p';
const ofPackage = (script: string): CheckStep => [script, `npm run -s ${script}`];

/** The checks of the sources, the slowest first. oxlint checks the types, too. */
export const checkSteps: readonly CheckStep[] = [
  ...['lint', 'imports'].map(ofPackage),
  ['docs:api', 'npm run -s docs:api -- --check'],
  ...['unused', 'format:check', 'check:docs'].map(ofPackage),
  ['lock file', 'npm ci --dry-run --offline --ignore-scripts --no-audit', 'EBADENGINE'],
];

/** `check types`: the compiler by itself, in each of its projects. */
const typeSteps = [
  'tsconfig.json',
  'tsconfig.node.json',
  'local-supabase',
  'conformance',
  'inbox-sender',
  'scripts',
  'test',
  'docs',
  'supabase/functions',
].map((project): CheckStep => [`types: ${project}`, `${tsc} ${project}`]);

interface StepResult {
  readonly name: string;
  readonly command: string;
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
}

/** @param forbidden a text in the output with which the step fails although its exit code is 0. */
function runStep(name: string, command: string, forbidden?: string): Promise<StepResult> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (code) => {
      const passed = code === 0 && (forbidden === undefined || !output.includes(forbidden));
      resolve({ name, command, passed, output, seconds: (performance.now() - startedMs) / 1000 });
    });
  });
}

async function check(chosen: string | undefined): Promise<void> {
  const waiting = [
    ...(chosen === 'types' ? typeSteps : checkSteps.filter(([name]) => name.startsWith(chosen ?? ''))),
  ];
  const results: StepResult[] = [];
  async function work(): Promise<void> {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await runStep(...step);
      results.push(result);
      console.log(
        `${result.passed ? '✓' : '✗'} ${result.name.padEnd(28)}${result.seconds.toFixed(1).padStart(6)} s`,
      );
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, work));

  const failed = results.filter(({ passed }) => !passed);
  for (const { name, command, output } of failed)
    console.error(`\n── ${name} failed. Run it again: ${command}\n${output.trim()}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) await check(process.argv[2]);

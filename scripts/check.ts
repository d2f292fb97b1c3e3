import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const typed = [
  'tsconfig.json',
  'tsconfig.node.json',
  'local-supabase',
  'conformance',
  'inbox-sender',
  'scripts',
  'test',
  'docs',
  'supabase/functions',
];
const tsc = 'node node_modules/typescript-native/bin/tsc -p';
const ofPackage = (script: string) => [script, `npm run -s ${script}`] as const;

/** What must hold of the sources before anything is run, the slowest first. `check types` runs the steps of that name. */
const steps: readonly (readonly [name: string, command: string, forbidden?: string])[] = [
  ...['imports', 'unused'].map(ofPackage),
  ...typed.map((project) => [`types: ${project}`, `${tsc} ${project}`] as const),
  ...['docs:api', 'lint', 'format:check', 'check:docs'].map(ofPackage),
  ['lock file', 'npm ci --dry-run --offline --ignore-scripts --no-audit', 'EBADENGINE'],
];

interface StepResult {
  readonly name: string;
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
      resolve({ name, passed, output, seconds: (performance.now() - startedMs) / 1000 });
    });
  });
}

const waiting = steps.filter(([name]) => name.startsWith(process.argv[2] ?? ''));
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
for (const { name, output } of failed) console.error(`\n── ${name}\n${output.trim()}`);
process.exitCode = failed.length === 0 ? 0 : 1;

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const tsc = 'node node_modules/typescript-native/bin/tsc -p';

/** What must hold of the sources before anything is run; the slowest first. */
const steps: readonly (readonly [name: string, command: string])[] = [
  [
    'imports',
    'npx depcruise --config .dependency-cruiser.cjs src local-supabase conformance inbox-sender examples test scripts',
  ],
  ['unused', 'npx knip'],
  ['types: src', `${tsc} tsconfig.json`],
  ['types: configuration', `${tsc} tsconfig.node.json`],
  ['types: local-supabase', `${tsc} local-supabase`],
  ['types: conformance', `${tsc} conformance`],
  ['types: inbox-sender', `${tsc} inbox-sender`],
  ['types: scripts', `${tsc} scripts`],
  ['types: test', `${tsc} test`],
  ['types: docs', `${tsc} docs`],
  ['types: functions', `${tsc} supabase/functions`],
  ['API pages', 'node --import tsx scripts/library/api-docs.ts'],
  ['lint', 'npx oxlint --deny-warnings'],
  ['format', 'npx oxfmt --check'],
  ['docstrings', 'node --import tsx scripts/library/library-docstrings.ts'],
  ['lock file', 'npm ci --dry-run --offline --ignore-scripts --no-audit'],
];

interface StepResult {
  readonly name: string;
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
}

function runStep(name: string, command: string): Promise<StepResult> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (code) => {
      resolve({ name, passed: code === 0, output, seconds: (performance.now() - startedMs) / 1000 });
    });
  });
}

const waiting = [...steps];
const results: StepResult[] = [];
async function work(): Promise<void> {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    const result = await runStep(...step);
    results.push(result);
    console.log(
      `${result.passed ? '✓' : '✗'} ${result.name.padEnd(24)}${result.seconds.toFixed(1).padStart(6)} s`,
    );
  }
}
await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, work));

const failed = results.filter(({ passed }) => !passed);
for (const { name, output } of failed) console.error(`\n── ${name}\n${output.trim()}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** `npm run test:nightly`: what `npm test` leaves out. Each step runs even if an earlier one fails. */
import { spawnSync } from 'node:child_process';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const nightly = { NIGHTLY: '1' };
const steps: readonly Step[] = [
  { name: 'slow and rare tests', command: 'npx vitest run', environment: nightly },
  {
    name: 'long random schedules',
    command: 'npx vitest run --project unit schedules simulation storm',
    environment: { AUTH_SCHEDULES: '10000', CALL_SCHEDULES: '20000', SCHEDULES: '4000', STORMS: '5000' },
  },
  {
    name: 'rare journeys',
    command: 'npx playwright test --grep-invert @alone',
    environment: nightly,
  },
  {
    name: 'journeys that measure',
    command: 'npx playwright test --grep @alone --workers=1',
    environment: nightly,
  },
  { name: 'documentation', command: 'npm run docs' },
];

const failed = steps.filter(({ name, command, environment }) => {
  console.log(`\n── ${name}: ${repeat(command, environment)}`);
  const { status } = spawnSync(command, {
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status !== 0;
});
for (const { name, command, environment } of failed)
  console.error(`✗ ${name}; again: ${repeat(command, environment)}`);
if (failed.length > 0) process.exitCode = 1;

function repeat(command: string, environment: Step['environment'] = {}): string {
  return [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), command].join(' ');
}

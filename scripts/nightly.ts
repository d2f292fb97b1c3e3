/** `npm run test:nightly`: what `npm test` leaves out. Each step runs even if an earlier one fails. */
import { runSteps, type Step } from './steps.ts';

const nightly = { NIGHTLY: '1' };
export const nightlySteps: readonly Step[] = [
  { name: 'slow and rare tests', command: 'npx vitest run', environment: nightly },
  {
    name: 'the application in StrictMode',
    command: 'npx vitest run --project app test/inbox',
    environment: { STRICT_MODE: '1' },
  },
  {
    name: 'long random runs',
    command: 'npx vitest run --project unit schedules simulation storm quoting pages path-segment responses',
    environment: {
      LONG_RUNS: '1',
      AUTH_SCHEDULES: '10000',
      CALL_SCHEDULES: '20000',
      SCHEDULES: '4000',
      STORMS: '5000',
    },
  },
  {
    name: 'rare journeys',
    command: 'npx playwright test --grep-invert @alone',
    environment: nightly,
  },
  {
    name: 'journeys with the timers of the platform',
    command: 'npx playwright test',
    environment: { REALISTIC_TIMING: '1' },
  },
  {
    name: 'journeys that measure',
    command: 'npx playwright test --grep @alone --workers=1',
    environment: nightly,
  },
  { name: 'types by the compiler itself', command: 'npm run -s typecheck' },
  { name: 'documentation', command: 'npm run docs' },
  // The commands that a page names and nothing else runs, each in its shortest form.
  ...[
    'bench rest-select',
    'build -- --outDir test-results/host',
    'build:packages',
    'docs:asvs',
    'docs:audits',
    'docs:capabilities',
    'fuzz:rest -- 500',
    'mails',
    '-w local-supabase bench:instances -- 2',
    'replay',
    'replay:storage',
    'scale -- --rows 1000',
    'screenshots -- login inbox-window --desktop',
    'size:lib',
  ].map((command): Step => ({ name: command, command: `npm run ${command}` })),
];

if (process.argv[1] === import.meta.filename)
  runSteps(nightlySteps, { continuesAfterFailure: true, report: 'test-results/nightly-steps.json' });

/** `npm test`: the tests of the main paths. It ends at the first step that fails. */
import { runSteps, type Step } from './steps.ts';

export const dailySteps: readonly Step[] = [
  { name: 'browser', command: 'npm run -s browser' },
  { name: 'check', command: 'npm run -s check' },
  {
    name: 'tests',
    command: 'npx vitest run --reporter=default --reporter=json --outputFile.json=test-results/vitest.json',
  },
  { name: 'size', command: 'npm run -s size' },
  // The journeys run in the build that `size` has measured.
  { name: 'journeys', command: 'npm run -s e2e', environment: { E2E_BUILD: 'test-results/build' } },
];

if (process.argv[1] === import.meta.filename)
  runSteps(dailySteps, { continuesAfterFailure: false, report: 'test-results/steps.json' });

/** `npm run test:engines`: the journeys in Firefox, and the main path in WebKit, both from packages of Debian and Ubuntu. */
import { buildApp, removeFolder } from '../../test/e2e/support/app-build.ts';
import { runSteps } from '../steps.ts';

const build = await buildApp();
const environment = { E2E_BUILD: build };
runSteps(
  [
    {
      name: 'journeys in Firefox',
      command: 'npx playwright test --config playwright.engines.config.ts',
      environment,
    },
    { name: 'main path in WebKit', command: 'xvfb-run -a npx tsx scripts/engines/webkit.ts', environment },
  ],
  { continuesAfterFailure: true, report: 'test-results/engines-steps.json' },
);
await removeFolder(build);

import { defineConfig, devices } from '@playwright/test';
import type { StageOptions } from './test/e2e/support/stage.ts';
import { browserArgs, findBrowser } from './scripts/browser.ts';

const isNightly = process.env['NIGHTLY'] === '1';
/** `npm run test:visual` compares pictures of the screens with their references. */
const isVisual = process.env['VISUAL'] === '1';

const liveJourneys =
  /(changes-of-tabs|frozen-tab|hidden-tab|inbox|inbox-day|invitations|isolation|journeys|offline|phone|print|slow-network)\.spec\.ts$/;

export default defineConfig<object, Pick<StageOptions, 'liveSource'>>({
  testDir: isVisual ? 'test/visual' : 'test/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results/e2e',
  globalSetup: './test/e2e/support/global-setup.ts',
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  projects: [
    {
      name: 'broadcast',
      // Journeys tagged `@nightly` are slow and rare: only `npm run test:nightly` runs them, those tagged `@alone` one at a time.
      ...(isNightly ? { grep: /@nightly/ } : { grepInvert: /@nightly/ }),
    },
    {
      // Changes arrive by `postgres_changes`. Journeys tagged `@both-sources` run each time, all journeys of live rows nightly.
      name: 'postgres-changes',
      testMatch: liveJourneys,
      ...(isNightly ? {} : { grep: /@both-sources/ }),
      use: { liveSource: 'postgres-changes' },
    },
  ],
  fullyParallel: true,
  // Journeys wait for animations and sockets: one worker more than cores fills the gaps.
  workers: 3,
  retries: 0,
  // Only a failure reaches these limits, on a busy machine too.
  timeout: 240_000,
  expect: {
    timeout: 40_000,
    // Chromium of another machine draws edges of glyphs a little differently.
    toHaveScreenshot: { maxDiffPixelRatio: 0.002, scale: 'css' },
  },
  snapshotPathTemplate: isVisual ? 'test/visual/references/{arg}{ext}' : 'test/e2e/spoken/{arg}{ext}',
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1280, height: 800 },
    // A service worker would respond to requests that tests route or fail; offline.spec.ts allows it.
    serviceWorkers: 'block',
    // `only-on-failure` takes a picture of every page of tests that pass too; the `page` fixture takes those of failures.
    // `npm run e2e -- --trace on` records all, for a quarter more time.
    screenshot: 'off',
    launchOptions: { executablePath: findBrowser(), args: [...browserArgs] },
  },
});

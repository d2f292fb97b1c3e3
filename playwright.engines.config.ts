import { defineConfig } from '@playwright/test';
import base from './playwright.config.ts';

/**
 * Journeys whose driver can do something in Chromium only: its protocol for CPU, passkeys and crashes, events of sockets and downloads,
 * emulated media, or a context without scripts.
 */
const chromiumOnly = [
  'opening the inbox takes three data requests',
  'a passkey signs in from the autofill',
  'five tabs share one websocket',
  'a valid stored session reads the list, then opens the channel',
  'reduced motion leaves only fades',
  'a user downloads all data',
  "cookies are cleared by the site's own form without scripts",
];

/** `npm run test:engines`: the journeys of `npm test` in the Firefox of the system. */
export default defineConfig({
  ...base,
  outputDir: 'test-results/e2e-firefox',
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright-firefox.json' }]],
  projects: [
    { name: 'firefox', grepInvert: [/@nightly/, ...chromiumOnly.map((title) => new RegExp(title))] },
  ],
  workers: 2,
  use: {
    browserName: 'firefox',
    channel: 'moz-firefox',
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'allow',
    screenshot: 'off',
    launchOptions: { executablePath: 'scripts/engines/firefox-bidi.cjs' },
  },
});

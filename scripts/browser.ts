import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Two pages that Chromium keeps ready behind its address bar, in a process of their own for every window: a sixth of the
 * processor time of the end-to-end tests. Of two lists like this the last one counts, so Playwright's is in it.
 */
const disabledFeatures: readonly string[] = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Playwright's, as far as they concern tests in Chromium.
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Flags for a browser that is driven by tests: it asks nothing of the network but what the page asks. */
export const browserArgs: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${disabledFeatures.join()}`,
];

/**
 * Where Chromium is: `CHROMIUM_PATH`, the system's, or Playwright's own.
 *
 * @throws {Error} with one line that says how to get one.
 */
export function findBrowser(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = environment.CHROMIUM_PATH;
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, and no such file exists.`);
  }
  const found = [...systemPaths, chromium.executablePath()].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'The end-to-end tests need Chromium: run "npx playwright install chromium" or "apt-get install chromium", or set CHROMIUM_PATH.',
  );
}

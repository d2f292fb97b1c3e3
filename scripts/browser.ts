import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
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
 * Chromium preloads two pages of its address bar in a process per window, a sixth of the processor time of the end-to-end
 * tests. The last `--disable-features` flag wins, so this list repeats Playwright's.
 */
const disabledFeatures: readonly string[] = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // From Playwright's list, those that affect tests in Chromium.
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

/** Flags that keep a browser under test from sending its own requests. */
export const browserArgs: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${disabledFeatures.join()}`,
];

/** Where `installBrowser` puts the browser that an npm package carries. */
export const installedBrowserPath = resolve('.browser/bin/chromium');

/**
 * The path of Chromium, or null: `CHROMIUM_PATH`, the system's, Playwright's own, or the one that `npm test` installed.
 *
 * @throws {Error} if `CHROMIUM_PATH` names no file.
 */
export function locateBrowser(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  const named = environment['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, which does not exist.`);
  }
  return (
    [...systemPaths, chromium.executablePath(), installedBrowserPath].find((path) => existsSync(path)) ?? null
  );
}

/**
 * The path of Chromium.
 *
 * @throws {Error} with the command that installs one.
 */
export function findBrowser(): string {
  const found = locateBrowser();
  if (found !== null) return found;
  throw new Error('Chromium is missing. Run "npm run browser", or set CHROMIUM_PATH.');
}

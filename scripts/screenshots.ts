/**
 * Pictures of every screen on desktop, phone and in the dark, of a production build on the embedded Supabase, into the
 * git-ignored folder `screenshots`. Arguments: parts of names, to take only some; and `--desktop`, `--phone`, `--dark`, or,
 * only on request, `--german`, `--mirrored` (right to left), `--forced` (forced colors), `--wide` (1920 px), `--narrow` (390
 * px), and a desktop at 200 % (`--large`) and 400 % (`--zoomed`). Fails where a picture cannot be made or a page is wider
 * than its window.
 */
import { mkdir, rm } from 'node:fs/promises';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { startStage } from '../test/e2e/support/stage.ts';
import { browserArgs, findBrowser } from './browser.ts';
import { openShot, signInOnScreen } from './shots/open-shot.ts';
import { shots } from './shots/shots.ts';
import type { Shot } from './shots/shot.ts';

const folder = 'screenshots';

const variants: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  phone: {
    viewport: { width: 320, height: 640 },
    colorScheme: 'light',
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
};
/** Taken on request only. */
const furtherVariants: typeof variants = {
  german: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  forced: { viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
  wide: { viewport: { width: 1920, height: 1080 }, colorScheme: 'light' },
  mirrored: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  narrow: {
    viewport: { width: 390, height: 844 },
    colorScheme: 'light',
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  },
  // A window of 1280 px at twice and four times the size: it has a half and a quarter of its CSS pixels.
  large: { viewport: { width: 640, height: 400 }, colorScheme: 'light', deviceScaleFactor: 2 },
  zoomed: { viewport: { width: 320, height: 200 }, colorScheme: 'light', deviceScaleFactor: 4 },
};

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const namedVariants = Object.entries({ ...variants, ...furtherVariants }).filter(([variant]) =>
  process.argv.includes(`--${variant}`),
);
const wantedVariants = namedVariants.length > 0 ? namedVariants : Object.entries(variants);
const chosen = shots.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (wanted.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const stage = await startStage();
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
let failures = 0;
try {
  for (const [variant, options] of wantedVariants) {
    const sessions = new Map<string, Awaited<ReturnType<typeof signInOnScreen>>>();
    for (const shot of chosen) {
      try {
        if (shot.user && !sessions.has(shot.user))
          sessions.set(shot.user, await signInOnScreen(browser, stage, shot.user));
        const storageState = shot.user && sessions.get(shot.user);
        await take(shot, variant, storageState ? { ...options, storageState } : options);
      } catch (problem) {
        failures += 1;
        console.error(
          `${shot.name}-${variant}: ${problem instanceof Error ? problem.message : String(problem)}`,
        );
      }
    }
  }
} finally {
  await browser.close();
  await stage.close();
}
console.log(`${chosen.length * wantedVariants.length - failures} pictures in ${folder}/`);
process.exitCode = failures > 0 ? 1 : 0;

async function take(shot: Shot, variant: string, options: BrowserContextOptions): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(8_000);
    page.on('console', (message) => {
      if (message.type() === 'error') console.error(`${shot.name}-${variant}: ${message.text()}`);
    });
    page.on('pageerror', (problem) => console.error(`${shot.name}-${variant}: ${problem.message}`));
    if (variant === 'mirrored') await page.addInitScript(mirrorPage);
    await openShot(page, stage, shot, { language: variant === 'german' ? 'de' : 'en' });
    if (!shot.isWindow) await growToPage(page);
    await page.screenshot({ path: `${folder}/${shot.name}-${variant}.png` });
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (excess > 0) throw new Error(`wider than its window by ${excess} px`);
  } finally {
    await stage.supabase.faults.clear();
    await context.close();
  }
}

/** Runs in the page before its scripts. */
function mirrorPage(): void {
  addEventListener('DOMContentLoaded', () => document.documentElement.setAttribute('dir', 'rtl'));
}

/** A window as high as its page. (Pictures of whole pages end Chromium's emulation of a phone.) */
async function growToPage(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const size = page.viewportSize();
  if (size && height > size.height) await page.setViewportSize({ ...size, height });
  await page.waitForTimeout(200);
}

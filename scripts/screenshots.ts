/**
 * Pictures of every screen on desktop, phone and in the dark, of a production build on the embedded Supabase, into the
 * git-ignored folder `screenshots`. Arguments: parts of names, to take only some; and `--desktop`, `--phone`, `--dark`, or
 * what is taken only when asked for: `--forced` (forced colours), `--wide` (1920 px) and `--large` (text at 200 %).
 * Fails where a picture cannot be made or a page is wider than its window.
 */
import { mkdir, rm } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core';
import { startStage, type Stage } from '../test/e2e/support/stage.ts';
import { browserArgs, findBrowser } from './browser.ts';
import { accountPassword } from './local-project.ts';
import { authShots } from './shots/auth-shots.ts';
import { inboxShots } from './shots/inbox-shots.ts';
import { otherShots } from './shots/other-shots.ts';
import type { Shot, ShotContext } from './shots/shot.ts';

const folder = 'screenshots';
const shots: readonly Shot[] = [...authShots, ...inboxShots, ...otherShots];

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
/** Left out unless they are asked for. */
const furtherVariants: typeof variants = {
  forced: { viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
  wide: { viewport: { width: 1920, height: 1080 }, colorScheme: 'light' },
  // A window of 1280 px at twice the size: as many CSS pixels as half of it has.
  large: { viewport: { width: 640, height: 400 }, colorScheme: 'light', deviceScaleFactor: 2 },
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
    const sessions = new Map<string, Awaited<ReturnType<typeof signIn>>>();
    for (const shot of chosen) {
      try {
        if (shot.user && !sessions.has(shot.user))
          sessions.set(shot.user, await signIn(browser, stage, shot.user));
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
    if (shot.language)
      await page.addInitScript((language) => localStorage.setItem('language', language), shot.language);
    page.on('console', (message) => {
      if (message.type() === 'error') console.error(`${shot.name}-${variant}: ${message.text()}`);
    });
    page.on('pageerror', (problem) => console.error(`${shot.name}-${variant}: ${problem.message}`));
    await shot.prepare?.(stage);
    await page.goto(stage.appUrl + (typeof shot.path === 'string' ? shot.path : await shot.path(stage)));
    await page.locator('h1').first().waitFor();
    await shot.arrange?.(createShotContext(stage, page));
    await page.waitForTimeout(300);
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

/** A window as high as its page. (Pictures of whole pages let Chromium forget that it plays a phone.) */
async function growToPage(page: ShotContext['page']): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const size = page.viewportSize();
  if (size && height > size.height) await page.setViewportSize({ ...size, height });
  await page.waitForTimeout(200);
}

function createShotContext({ supabase }: Stage, page: ShotContext['page']): ShotContext {
  return {
    page,
    stage,
    newEmail: () => `new-${crypto.randomUUID().slice(0, 8)}@example.com`,
    async mail(to) {
      const { code, links } = await supabase.mailbox.waitFor({ to });
      return { code: code ?? '', link: links[0] ?? '' };
    },
  };
}

/** The cookies of a user who signed in on the screen. */
async function signIn(inBrowser: Browser, { appUrl }: Stage, email: string) {
  const context = await inBrowser.newContext();
  const page = await context.newPage();
  await page.goto(`${appUrl}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(accountPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/home');
  const state = await context.storageState();
  await context.close();
  return state;
}

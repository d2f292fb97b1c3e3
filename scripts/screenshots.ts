/**
 * Pictures of every screen on desktop, phone and in the dark, of a production build on the embedded Supabase, into the
 * git-ignored folder `screenshots`. Arguments: parts of names, to take only some.
 */
import { mkdir, rm } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core';
import { startStage, type Stage } from '../test/e2e/support/stage.ts';
import { browserArgs, findBrowser } from './browser.ts';
import { accountPassword } from './local-project.ts';
import { authShots } from './shots/auth-shots.ts';
import type { Shot, ShotContext } from './shots/shot.ts';

const folder = 'screenshots';
const shots: readonly Shot[] = [...authShots];

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

const wanted = process.argv.slice(2);
const chosen = shots.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (wanted.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const stage = await startStage({ outDir: 'test-results/screenshots' });
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
let failures = 0;
try {
  for (const [variant, options] of Object.entries(variants)) {
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
console.log(`${chosen.length * Object.keys(variants).length - failures} pictures in ${folder}/`);
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
    await page.goto(stage.appUrl + shot.path);
    await page.locator('h1').first().waitFor();
    await shot.arrange?.(createShotContext(stage, page));
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${folder}/${shot.name}-${variant}.png`, fullPage: true });
  } finally {
    await context.close();
  }
}

function createShotContext({ supabase }: Stage, page: ShotContext['page']): ShotContext {
  return {
    page,
    stage,
    newEmail: () => `new-${crypto.randomUUID().slice(0, 8)}@example.com`,
    async mail(to) {
      const { text } = await supabase.mailbox.waitFor({ to });
      return { code: /\b\d{6}\b/.exec(text)?.[0] ?? '', link: /https?:\S+/.exec(text)?.[0] ?? '' };
    },
  };
}

/** The cookies of somebody who has signed in by the screen. */
async function signIn(inBrowser: Browser, { appUrl }: Stage, email: string) {
  const context = await inBrowser.newContext();
  const page = await context.newPage();
  await page.goto(`${appUrl}/login`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(accountPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/home');
  const state = await context.storageState();
  await context.close();
  return state;
}

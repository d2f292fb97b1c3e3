import type { Browser, BrowserContext, Page } from '@playwright/test';
import { startStage, type Stage } from './support/stage.ts';
import { createWorld, expect, test, type World } from './support/fixtures.ts';

const tabs = 5;
const expiries = 10;
const lifetimeMs = 3_600_000;

/** A Supabase whose clock can be moved, as the pages' clocks are. */
async function startMovableStage(
  outDir: string,
): Promise<{ stage: Stage; world: World; sleep: (ms: number) => void }> {
  let offsetMs = 0;
  const stage = await startStage({ outDir, now: () => Date.now() + offsetMs });
  const { url, anonKey, serviceRoleKey, mailboxUrl } = stage.supabase;
  const world = createWorld({
    appUrl: stage.appUrl,
    supabaseUrl: url,
    anonKey,
    serviceRoleKey,
    mailboxUrl: mailboxUrl ?? '',
  });
  return { stage, world, sleep: (ms) => void (offsetMs += ms) };
}

/** One machine has one clock: its offset is in storage that all tabs of the origin read. */
const readSharedClock = () => {
  const now = Date.now.bind(Date);
  Date.now = () => now() + Number(localStorage.getItem('clock-offset') ?? 0);
};

async function openTabs(context: BrowserContext, world: World): Promise<readonly Page[]> {
  await context.addInitScript(readSharedClock);
  const first = await context.newPage();
  await world.signIn(first, await world.newUser());
  const others = await Promise.all(
    Array.from({ length: tabs - 1 }, async () => {
      const page = await context.newPage();
      await page.goto(`${world.addresses.appUrl}/home`);
      await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
      return page;
    }),
  );
  return [first, ...others];
}

/** The machine wakes after the token's lifetime, and every tab notices at once. */
async function wakeAfter(pages: readonly Page[], offsetMs: number): Promise<void> {
  await pages.at(-1)?.evaluate((offset) => localStorage.setItem('clock-offset', String(offset)), offsetMs);
  await Promise.all(pages.map((page) => page.evaluate(() => dispatchEvent(new Event('online')))));
}

function countRefreshes(context: BrowserContext): { readonly answered: () => number } {
  let answered = 0;
  context.on('response', (response) => {
    if (response.url().includes('grant_type=refresh_token') && response.status() === 200) answered += 1;
  });
  return { answered: () => answered };
}

async function expectSignedIn(pages: readonly Page[]): Promise<void> {
  for (const page of pages) {
    expect(new URL(page.url()).pathname).toBe('/home');
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  }
}

async function liveThroughExpiries(browser: Browser, outDir: string, isOneCut: boolean): Promise<void> {
  const { stage, world, sleep } = await startMovableStage(outDir);
  const context = await browser.newContext();
  const pages = await openTabs(context, world);
  const refreshes = countRefreshes(context);
  const supabase = `${world.addresses.supabaseUrl}/**`;
  if (isOneCut) await pages[0]?.route(supabase, (route) => route.abort());
  for (let expiry = 1; expiry <= expiries; expiry += 1) {
    sleep(lifetimeMs);
    await wakeAfter(pages, expiry * lifetimeMs);
    await expect.poll(refreshes.answered).toBe(expiry);
  }
  if (isOneCut) await pages[0]?.unroute(supabase);
  await expectSignedIn(pages);
  expect(refreshes.answered()).toBe(expiries);
  await context.close();
  await stage.close();
}

test('five tabs over ten expiries: exactly ten refreshes, and no tab is signed out', async ({ browser }) => {
  test.setTimeout(180_000);
  await liveThroughExpiries(browser, 'test-results/app-sessions', false);
});

test('five tabs over ten expiries, one of them without a network: the same', async ({ browser }) => {
  test.setTimeout(180_000);
  await liveThroughExpiries(browser, 'test-results/app-sessions-cut', true);
});

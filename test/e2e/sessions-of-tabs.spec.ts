import type { Browser, BrowserContext, Page } from '@playwright/test';
import { expect, test, type World } from './support/fixtures.ts';

const tabs = 5;
const expiries = 10;
const lifetimeMs = 3_600_000;

/** One machine has one clock: its offset is in storage that all tabs of the origin read. */
const readSharedClock = () => {
  const now = Date.now.bind(Date);
  Date.now = () => now() + Number(localStorage.getItem('clock-offset') ?? 0);
};

async function openTabs(context: BrowserContext, world: World): Promise<readonly Page[]> {
  await context.addInitScript(readSharedClock);
  const first = await context.newPage();
  await world.enter(first, await world.newUser());
  const others = await Promise.all(
    Array.from({ length: tabs - 1 }, async () => {
      const page = await context.newPage();
      await page.goto(`${world.appUrl}/home`);
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

function countRefreshes(context: BrowserContext): { readonly count: () => number } {
  let count = 0;
  context.on('response', (response) => {
    if (response.url().includes('grant_type=refresh_token') && response.status() === 200) count += 1;
  });
  return { count: () => count };
}

/**
 * Moves the clocks of the server and of the machine together: a refresh between the two moves would get a token that has
 * expired on arrival, so it is held until both have moved.
 */
async function joinClocks(context: BrowserContext, { stage }: World): Promise<typeof wakeAfter> {
  let moved = Promise.resolve();
  await context.route(/grant_type=refresh_token/, async (route) => {
    await moved;
    await route.continue();
  });
  return (pages, offsetMs) =>
    (moved = stage.supabase.faults.skewClock(offsetMs).then(() => wakeAfter(pages, offsetMs)));
}

async function expectSignedIn(pages: readonly Page[]): Promise<void> {
  for (const page of pages) {
    expect(new URL(page.url()).pathname).toBe('/home');
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  }
}

async function liveThroughExpiries(browser: Browser, world: World, isOneCut: boolean): Promise<void> {
  const context = await browser.newContext();
  const pages = await openTabs(context, world);
  const refreshes = countRefreshes(context);
  const wake = await joinClocks(context, world);
  const supabase = `${world.stage.project.url}/**`;
  if (isOneCut) await pages[0]?.route(supabase, (route) => route.abort());
  for (let expiry = 1; expiry <= expiries; expiry += 1) {
    await wake(pages, expiry * lifetimeMs);
    await expect.poll(refreshes.count).toBe(expiry);
  }
  if (isOneCut) await pages[0]?.unroute(supabase);
  await expectSignedIn(pages);
  expect(refreshes.count()).toBe(expiries);
  await context.close();
}

test(
  'five tabs refresh exactly ten times over ten expiries and stay signed in',
  { tag: ['@nightly', '@clock'] },
  async ({ browser, world }) => {
    await liveThroughExpiries(browser, world, false);
  },
);

test(
  'five tabs refresh exactly ten times over ten expiries while one of them has no network',
  { tag: ['@nightly', '@clock'] },
  async ({ browser, world }) => {
    await liveThroughExpiries(browser, world, true);
  },
);

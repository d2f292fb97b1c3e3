/**
 * Web Vitals of /login and /home by script: a processor four times slower and a slow 4G network (150 ms, 1.6 Mbit/s), a
 * production build and data, both compressed as hosts do it, and nothing in the browser's cache. Prints JSON; times are
 * milliseconds, the median of the visits. `unreadClick` does not depend on other programs: it is the main thread's processor
 * time of one click in each visit of one profile, so that a cost that grows from visit to visit shows. Run: `npx tsx
 * test/bench/app-vitals.ts [visits]`; with `E2E_BUILD` it uses an existing build.
 */
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { createLocalSupabase } from 'local-supabase';
import { browserArgs, findBrowser } from '../../scripts/browser.ts';
import { buildApp, configureApp, removeFolder } from '../e2e/support/app-build.ts';
import { ada, seedPassword } from '../support/local-supabase.ts';
import { serveCompressed, serveCompressedApi } from './compressed-site.ts';

const visits = Number(process.argv[2] ?? 5);
const slow4g = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

interface Vitals {
  lcp: number;
  cls: number;
  /** The longest interaction, from the press to the next paint. */
  inp: number;
  /** Requests of the page until its network is idle, and their bytes as transferred. */
  requests: number;
  kB: number;
}

/** What a page has loaded so far. */
interface Load {
  requests: number;
  bytes: number;
}
const loads = new WeakMap<Page, Load>();

/** Runs in the page before its scripts. */
function observeVitals(): void {
  const vitals: Vitals = { lcp: 0, cls: 0, inp: 0, requests: 0, kB: 0 };
  Object.assign(globalThis, { vitals });
  const observe = (type: string, note: (entry: PerformanceEntry) => void, durationThreshold?: number) => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => note(entry)));
    observer.observe({ type, buffered: true, ...(durationThreshold ? { durationThreshold } : {}) });
  };
  observe('largest-contentful-paint', ({ startTime }) => {
    vitals.lcp = startTime;
  });
  observe('layout-shift', (entry) => {
    const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!shift.hadRecentInput) vitals.cls += shift.value;
  });
  const noteInteraction = (entry: PerformanceEntry) => {
    const event = entry as PerformanceEntry & { interactionId?: number };
    if (event.interactionId) vitals.inp = Math.max(vitals.inp, event.duration);
  };
  observe('event', noteInteraction, 16);
}

async function openSlowly(browser: Browser, state?: Awaited<ReturnType<typeof signIn>>): Promise<Page> {
  const context = await browser.newContext(state ? { storageState: state } : {});
  const page = await context.newPage();
  // The loader of this script names functions by a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (named) => named');
  await page.addInitScript(observeVitals);
  const cdp = await context.newCDPSession(page);
  const load: Load = { requests: 0, bytes: 0 };
  loads.set(page, load);
  cdp.on('Network.requestWillBeSent', () => (load.requests += 1));
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (load.bytes += encodedDataLength));
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', slow4g);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  return page;
}

async function signIn(browser: Browser, url: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(seedPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/home');
  const state = await context.storageState();
  await context.close();
  return state;
}

async function visitLogin(browser: Browser, url: string): Promise<Vitals> {
  const page = await openSlowly(browser);
  await page.goto(`${url}/login`);
  const load = await readLoad(page);
  await page.getByLabel('Email').fill('typing@example.com');
  await page.getByLabel('Email').press('End');
  await page.getByRole('button', { name: 'Show password' }).click();
  await page.getByLabel('Password', { exact: true }).pressSequentially('abc');
  await page.getByRole('button', { name: 'Email me a code instead' }).click();
  await page.getByRole('heading', { name: 'Sign in by email' }).waitFor();
  return read(page, load);
}

async function visitHome(
  browser: Browser,
  url: string,
  state: Awaited<ReturnType<typeof signIn>>,
): Promise<Vitals> {
  const page = await openSlowly(browser, state);
  await page.goto(`${url}/home`);
  const rows = page.locator('main [data-id]');
  await rows.first().waitFor();
  const load = await readLoad(page);
  await press(page, rows.first().getByRole('button', { name: /^Mark as/ }));
  await press(page, page.getByRole('link', { name: /^Unread/ }).first());
  await press(page, page.getByRole('link', { name: /^All/ }).first());
  await press(page, rows.nth(1).getByRole('link').first());
  await press(page, page.getByRole('button', { name: /^Notifications/ }));
  await page.getByRole('dialog', { name: 'Inbox' }).waitFor();
  return read(page, load);
}

/** Clicks by the mouse: Playwright's own click runs scripts in the page, whose processor is slowed down. */
async function press(page: Page, target: Locator): Promise<void> {
  const box = await target.boundingBox();
  if (!box) throw new Error('what is to be clicked is not shown');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForTimeout(500);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForTimeout(1000);
}

/** Processor time of the main thread in milliseconds, of the click on "Unread" until nothing is left to do, by visit. */
async function measureUnreadClicks(
  browser: Browser,
  url: string,
  state: Awaited<ReturnType<typeof signIn>>,
): Promise<{ readonly script: number[]; readonly all: number[] }> {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const readMs = async (name: string) => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return 1000 * (metrics.find((metric) => metric.name === name)?.value ?? Number.NaN);
  };
  const script: number[] = [];
  const all: number[] = [];
  for (let turn = 0; turn < visits; turn += 1) {
    await page.goto(`${url}/home`);
    await page.locator('main [data-id]').first().waitFor();
    await page.waitForLoadState('networkidle');
    const link = page.getByRole('link', { name: /^Unread/ }).first();
    await link.hover();
    await page.waitForTimeout(500);
    const before = [await readMs('ScriptDuration'), await readMs('TaskDuration')] as const;
    await press(page, link);
    script.push(Math.round((await readMs('ScriptDuration')) - before[0]));
    all.push(Math.round((await readMs('TaskDuration')) - before[1]));
  }
  await context.close();
  return { script, all };
}

/** Reads the loaded resources before the first interaction, which loads more. */
async function readLoad(page: Page): Promise<Load> {
  await page.waitForLoadState('networkidle');
  return { ...(loads.get(page) ?? { requests: Number.NaN, bytes: Number.NaN }) };
}

async function read(page: Page, { requests, bytes }: Load): Promise<Vitals> {
  // An event's time is known after the frame that follows it.
  await page.waitForTimeout(500);
  const vitals = await page.evaluate(() => (globalThis as unknown as { vitals: Vitals }).vitals);
  await page.context().close();
  return { ...vitals, requests, kB: bytes / 1000 };
}

function median(samples: readonly Vitals[]): Vitals {
  const middle = (pick: (vitals: Vitals) => number) =>
    samples.map(pick).toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
  return {
    lcp: Math.round(middle(({ lcp }) => lcp)),
    cls: Number(middle(({ cls }) => cls).toFixed(4)),
    inp: Math.round(middle(({ inp }) => inp)),
    requests: middle(({ requests }) => requests),
    kB: Math.round(middle(({ kB }) => kB)),
  };
}

async function repeat(visit: () => Promise<Vitals>): Promise<Vitals> {
  const samples: Vitals[] = [];
  for (let turn = 0; turn < visits; turn += 1) samples.push(await visit());
  return median(samples);
}

const supabase = await createLocalSupabase({ config: false, port: 0 });
await supabase.database.query(
  `insert into public.notifications (recipient_id, content, created_at, updated_at)
   select $1, json_build_object('type', (array['mention', 'edit', 'comment'])[1 + n % 3],
                                'data', json_build_object('entity_name', 'Document ' || n))::text, at, at
   from generate_series(1, 200) n, lateral (select now() - n * interval '3 hours' as at)`,
  [ada.id],
);
const shared = process.env['E2E_BUILD'];
const built = shared ?? (await buildApp());
const api = await serveCompressedApi(supabase.url);
const folder = await configureApp(built, {
  supabaseUrl: api.url,
  anonKey: supabase.anonKey,
  siteUrl: '',
});
const site = await serveCompressed(folder);
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
try {
  const state = await signIn(browser, site.url);
  const login = await repeat(() => visitLogin(browser, site.url));
  const home = await repeat(() => visitHome(browser, site.url, state));
  const unreadClick = await measureUnreadClicks(browser, site.url, state);
  console.log(
    JSON.stringify(
      { visits, processor: '4 times slower', network: slow4g, login, home, unreadClick },
      null,
      2,
    ),
  );
} finally {
  await browser.close();
  site.close();
  api.close();
  await supabase.close();
  await removeFolder(folder);
  if (shared === undefined) await removeFolder(built);
}

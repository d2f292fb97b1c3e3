import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { serveCompressed } from '../../bench/compressed-site.ts';
import { configureApp, removeFolder } from './app-build.ts';
import type { World } from './world.ts';

/** Latency in milliseconds, rates in bytes a second: as in the browser's own developer tools. */
export const slowNetworks = {
  '3G': { offline: false, latency: 400, downloadThroughput: 62_500, uploadThroughput: 62_500 },
  'slow 4G': { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 },
} as const;

export interface SlowPage {
  readonly page: Page;
  readonly url: string;
  /** How long each action took until the document changed (ms), by its name. */
  readonly durations: ReadonlyMap<string, number>;
  /** Runs an action, such as a click, and waits until the document changes. */
  act(name: string, action: () => Promise<unknown>): Promise<void>;
  /** The layout shifts that neither an input nor a message explains: their size, path and moved elements. */
  layoutShifts(): Promise<readonly string[]>;
}

/** Opens a page with a quarter of the processor's speed on a slow network, on the application as hosts serve it. */
export async function withSlowPage(
  browser: Browser,
  world: World,
  network: keyof typeof slowNetworks,
  use: (slow: SlowPage) => Promise<void>,
): Promise<void> {
  const { url: supabaseUrl, anonKey } = world.stage.project;
  const folder = await configureApp(process.env['E2E_BUILD'] ?? '', { supabaseUrl, anonKey, siteUrl: '' });
  const site = await serveCompressed(folder);
  await compressAll(folder, site.url);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.addInitScript('globalThis.__name = (named) => named');
    await page.addInitScript(observeShifts);
    const session = await context.newCDPSession(page);
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', slowNetworks[network]);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const durations = new Map<string, number>();
    await use({
      page,
      url: site.url,
      durations,
      async act(name, action) {
        await page.evaluate(awaitChange);
        await action();
        durations.set(
          name,
          await page.evaluate(() => (globalThis as { change?: Promise<number> }).change ?? 0),
        );
      },
      async layoutShifts() {
        // The page classifies a layout shift a second after it.
        await page.waitForTimeout(1_500);
        return JSON.parse(await page.evaluate(() => sessionStorage.getItem('shifts') ?? '[]'));
      },
    });
  } finally {
    await context.close();
    site.close();
    await removeFolder(folder);
  }
}

/** Lets the site compress its files before they are timed. */
async function compressAll(folder: string, url: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => /\.(js|css|html)$/.test(name)))
    await (
      await fetch(`${url}/${join('/', file).slice(1)}`, { headers: { 'Accept-Encoding': 'br' } })
    ).arrayBuffer();
}

/** Runs in the page: `change` resolves with the time from the next input to the next change of the document (ms). */
function awaitChange(): void {
  const change = new Promise<number>((resolve) => {
    let inputAtMs: number | null = null;
    for (const type of ['pointerdown', 'keydown', 'input'])
      addEventListener(type, ({ timeStamp }) => (inputAtMs ??= timeStamp), { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if (inputAtMs === null) return;
      observer.disconnect();
      resolve(performance.now() - inputAtMs);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  Object.assign(globalThis, { change });
}

/** Runs in the page before its scripts. */
function observeShifts(): void {
  interface Shift extends PerformanceEntry {
    readonly value: number;
    readonly hadRecentInput: boolean;
    readonly sources: readonly {
      readonly node: Node | null;
      readonly previousRect: DOMRect;
      readonly currentRect: DOMRect;
    }[];
  }
  /** The times of inputs and messages, which explain the layout shifts that follow. */
  const causes: number[] = [];
  /** Requests and long tasks, from their start to their end. */
  const work: { startTime: number; duration: number }[] = [];
  for (const type of ['pointerdown', 'keydown', 'input'])
    addEventListener(type, ({ timeStamp }) => causes.push(timeStamp), { capture: true });
  new MutationObserver((records) => {
    const isMessage = records.some(({ target }) => {
      const element = target instanceof Element ? target : target.parentElement;
      return element?.closest('[role=status], [role=alert]');
    });
    if (isMessage) causes.push(performance.now());
  }).observe(document, { subtree: true, childList: true, characterData: true });
  const recordWork = new PerformanceObserver((list) => void work.push(...list.getEntries()));
  for (const type of ['resource', 'longtask']) recordWork.observe({ type, buffered: true });
  /** Whether the work that began with the last cause has ended at most a second before. */
  const isExplained = (atMs: number): boolean => {
    let untilMs = (causes.findLast((causedAtMs) => causedAtMs <= atMs) ?? -Infinity) + 1_000;
    for (const { startTime, duration } of work.toSorted((a, b) => a.startTime - b.startTime))
      if (startTime <= untilMs) untilMs = Math.max(untilMs, startTime + duration + 1_000);
    return atMs <= untilMs;
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput, sources, startTime } = entry as Shift;
      if (hadRecentInput || value < 0.0005) continue;
      const moved = sources.map(({ node, previousRect, currentRect }) => {
        const name = `${node?.nodeName} “${node?.textContent?.slice(0, 30)}”`;
        return `${name} from ${previousRect.x}, ${previousRect.y} to ${currentRect.x}, ${currentRect.y}`;
      });
      const shift = `${value.toFixed(4)} on ${location.pathname}: ${moved.join('; ')}`;
      // Work is reported when it has ended.
      setTimeout(() => {
        if (isExplained(startTime)) return;
        const shifts = JSON.parse(sessionStorage.getItem('shifts') ?? '[]') as string[];
        sessionStorage.setItem('shifts', JSON.stringify([...shifts, shift]));
      }, 1_000);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

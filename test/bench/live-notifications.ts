/**
 * A thousand live notifications within one second, in the application, in Chromium: how many messages arrive, in how many
 * commits of React, and how long its longest task is. Each is written by a separate statement. Prints JSON; times are
 * milliseconds. Run: `npx tsx test/bench/live-notifications.ts [broadcast|postgres-changes]`
 */
import { loadavg } from 'node:os';
import { chromium, type Page } from 'playwright-core';
import { browserArgs, findBrowser } from '../../scripts/browser.ts';
import { startStage } from '../e2e/support/stage.ts';
import { ada, seedPassword } from '../support/local-supabase.ts';

const total = 1_000;
const liveSource = process.argv[2] === 'postgres-changes' ? 'postgres-changes' : 'broadcast';
const bell = `button[aria-label="Notifications, ${total} unread"]`;

interface Counters {
  commits: number;
  frames: number;
  isLive: boolean;
  /** When each message arrived, and when the bell showed all of them. */
  readonly arrivedAt: number[];
  shownAt: number | null;
  readonly longTasks: number[];
}

/** Runs in the page before it: React reports each commit to a devtools hook, also in a production build. */
function installCounters(bell: string): void {
  const counters: Counters = {
    commits: 0,
    frames: 0,
    isLive: false,
    arrivedAt: [],
    shownAt: null,
    longTasks: [],
  };
  const nothing = () => undefined;
  Object.assign(globalThis, {
    counters,
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot: () => void (counters.commits += 1),
      onPostCommitFiberRoot: nothing,
      onCommitFiberUnmount: nothing,
      checkDCE: nothing,
    },
  });
  new PerformanceObserver((list) =>
    counters.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({ type: 'longtask' });
  globalThis.WebSocket = class extends WebSocket {
    constructor(...options: ConstructorParameters<typeof WebSocket>) {
      super(...options);
      this.addEventListener('message', ({ data }) => {
        if (String(data).includes('Replication connection established')) counters.isLive = true;
        counters.arrivedAt.push(performance.now());
      });
    }
  };
  const tick = () => {
    counters.frames += 1;
    if (document.querySelector(bell)) counters.shownAt ??= performance.now();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

const readCounters = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { counters: Counters }).counters);
const resetCounters = (page: Page) =>
  page.evaluate(() => {
    const { counters } = globalThis as unknown as { counters: Counters };
    counters.commits = 0;
    counters.frames = 0;
    counters.arrivedAt.length = 0;
    counters.longTasks.length = 0;
  });

const stage = await startStage({ liveSource });
const { database } = stage.supabase;
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
try {
  await database.query('delete from public.notifications where recipient_id = $1', [ada.id]);
  const page = await browser.newPage();
  // The loader of this script names functions by a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (named) => named');
  await page.addInitScript(installCounters, bell);
  await page.goto(`${stage.appUrl}/login`);
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(seedPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('No notifications yet').waitFor();
  await page.waitForFunction(() => (globalThis as unknown as { counters: Counters }).counters.isLive);
  await pause(1_000);
  await resetCounters(page);

  const startedAt = performance.now();
  await database.exec(
    `do $$ begin
       for n in 1 .. ${total} loop
         insert into public.notifications (recipient_id, content)
           select '${ada.id}', json_build_object('type', 'mention', 'data', json_build_object('entity_name', 'Live ' || n))::text;
       end loop;
     end $$`,
  );
  const writtenMs = performance.now() - startedAt;
  // Found by its attribute, because finding a role among a thousand rows takes longer than the measured work.
  await page.locator(bell).waitFor({ state: 'attached' });
  await pause(2_000);
  const { commits, frames, arrivedAt, shownAt, longTasks } = await readCounters(page);
  const lastAt = arrivedAt.at(-1) ?? NaN;
  const rows = await page.locator('main [data-id]').count();
  console.log(
    JSON.stringify(
      {
        liveSource,
        written: total,
        writtenMs: Math.round(writtenMs),
        received: arrivedAt.length,
        receivedWithinMs: Math.round(lastAt - (arrivedAt[0] ?? NaN)),
        applied: rows,
        appliedAfterTheLastMs: Math.round((shownAt ?? NaN) - lastAt),
        reactCommits: commits,
        frames,
        longTasks: longTasks.length,
        longestTaskMs: Math.round(Math.max(0, ...longTasks)),
        load: loadavg().map((load) => Number(load.toFixed(2))),
      },
      null,
      2,
    ),
  );
} finally {
  await browser.close();
  await stage.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

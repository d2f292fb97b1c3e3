import { expect, test } from './support/fixtures.ts';
import { startTabBrowser } from './support/tab-browser.ts';
import type { BrowserTab } from './support/tab-browser.ts';

/** By default the timers of a hidden page run once a minute after five minutes. */
const throttleEarly = '--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/70';

/**
 * Whether the browser slows the timers of a hidden tab: to one run a second at once, and much more later. A headless shell,
 * such as the one that `npm run browser` installs where the system has no browser, leaves every tab visible.
 */
async function slowsTimers(tab: BrowserTab): Promise<boolean> {
  await tab.evaluate(`{
    globalThis.quickRuns = 0;
    setInterval(() => (globalThis.quickRuns += 1), 100);
  }`);
  await new Promise((resolve) => {
    setTimeout(resolve, 5_000);
  });
  return Number(await tab.evaluate('globalThis.quickRuns')) < 20;
}

test('a hidden tab sends its heartbeats on time', { tag: '@nightly' }, async ({ world }) => {
  test.setTimeout(300_000);
  const browser = await startTabBrowser([throttleEarly]);
  try {
    const ada = await world.newUser();
    await browser.setCookies(await world.sessionCookies(ada));
    const tab = await browser.open(`${world.appUrl}/home`);
    await expect.poll(() => world.stage.supabase.realtime.statistics.subscribers).toBe(1);
    await tab.evaluate(`{
      const { send } = WebSocket.prototype;
      globalThis.heartbeatTimes = [];
      WebSocket.prototype.send = function (data) {
        if (String(data).includes('"heartbeat"')) globalThis.heartbeatTimes.push(performance.now());
        send.call(this, data);
      };
      globalThis.timerTimes = [];
      setInterval(() => globalThis.timerTimes.push(performance.now()), 5_000);
    }`);
    await browser.open('about:blank');
    if (!(await slowsTimers(tab))) {
      const reason =
        'not tested: this Chromium slows no timers of hidden tabs; name a whole browser by CHROMIUM_PATH';
      // The list of results does not print the reason of a skipped test.
      console.warn(`${test.info().title}: ${reason}`);
      test.skip(true, reason);
    }
    const intervals = async (name: string) => {
      const times = (await tab.evaluate(`globalThis.${name}`)) as readonly number[];
      return times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? 0));
    };
    await expect
      .poll(async () => Math.max(...(await intervals('timerTimes'))), { timeout: 240_000 })
      .toBeGreaterThan(30_000);
    // The throttling begins at a full minute, so the pause of the timers can be seen after two or after four heartbeats.
    await expect
      .poll(async () => (await intervals('heartbeatTimes')).length, { timeout: 90_000 })
      .toBeGreaterThan(3);
    for (const intervalMs of await intervals('heartbeatTimes')) expect(intervalMs).toBeLessThan(30_000);
  } finally {
    await browser.close();
  }
});

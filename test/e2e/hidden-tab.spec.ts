import { expect, test } from './support/fixtures.ts';
import { startTabBrowser, type BrowserTab } from './support/tab-browser.ts';

/** By default the timers of a hidden page run once a minute after five minutes. */
const throttleEarly = '--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/70';

/**
 * What Chromium does to a hidden tab with that flag. Runs in the page of a browser that leaves every tab visible: a headless
 * shell, such as `npm run browser` installs where the system has no browser.
 */
const hideByScript = `{
  const { setTimeout } = globalThis;
  const hiddenAtMs = performance.now();
  globalThis.setTimeout = (callback, delayMs = 0) => {
    const nowMs = performance.now() - hiddenAtMs;
    const dueMs = nowMs + delayMs;
    const runsAtMs = dueMs < 70_000 ? dueMs : Math.ceil(dueMs / 60_000) * 60_000;
    return setTimeout(callback, runsAtMs - nowMs);
  };
  Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'));
}`;

/** Whether another tab in front hides this one. */
async function becomesHidden(tab: BrowserTab): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    if ((await tab.evaluate('document.visibilityState')) === 'hidden') return true;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  return false;
}

test('a hidden tab sends its heartbeats on time', { tag: ['@nightly', '@sockets'] }, async ({ world }) => {
  test.setTimeout(300_000);
  const browser = await startTabBrowser([throttleEarly]);
  try {
    const ada = await world.newUser();
    await browser.setCookies(await world.sessionCookies(ada));
    const tab = await browser.open(`${world.appUrl}/home`);
    await expect.poll(() => world.stage.supabase.realtime.statistics.channels).toBeGreaterThan(0);
    await tab.evaluate(`{
      const { send } = WebSocket.prototype;
      globalThis.heartbeatTimes = [];
      WebSocket.prototype.send = function (data) {
        if (String(data).includes('"heartbeat"')) globalThis.heartbeatTimes.push(performance.now());
        send.call(this, data);
      };
      globalThis.timerTimes = [];
      const noteTime = () => {
        globalThis.timerTimes.push(performance.now());
        globalThis.setTimeout(noteTime, 5_000);
      };
      noteTime();
    }`);
    await browser.open('about:blank');
    if (!(await becomesHidden(tab))) {
      console.warn(
        'hidden-tab.spec.ts: this Chromium hides no tab, so a script slows the timers of the page.',
      );
      await tab.evaluate(hideByScript);
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

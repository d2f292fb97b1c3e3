import { expect, test } from './support/fixtures.ts';
import { startTabBrowser, type BrowserTab, type TabBrowser } from './support/tab-browser.ts';

let browser: TabBrowser;
test.beforeEach(async () => {
  browser = await startTabBrowser();
});
test.afterEach(() => browser.close());

const listed = (tab: BrowserTab) => () => tab.evaluate("document.querySelectorAll('main [data-id]').length");

test(
  'another tab takes over when the tab with the websocket freezes; the frozen tab catches up when it wakes',
  { tag: ['@nightly', '@sockets'] },
  async ({ world }) => {
    const [ada, grace] = await world.newPair();
    const count = () => world.stage.supabase.realtime.statistics.sockets;
    await browser.setCookies(await world.sessionCookies(ada));
    const leader = await browser.open(`${world.appUrl}/home`);
    await expect.poll(() => world.stage.supabase.realtime.statistics.channels).toBeGreaterThan(0);
    await leader.evaluate("document.addEventListener('freeze', () => (globalThis.wasFrozen = true))");
    const other = await browser.open(`${world.appUrl}/home`);
    await expect.poll(() => other.evaluate("document.querySelector('main h1')?.textContent")).toBe('Inbox');
    await world.notify(grace, ada, { about: 'Plan' });
    await expect.poll(listed(other)).toBe(1);
    await expect.poll(listed(leader)).toBe(1);
    expect(count(), 'the other has none of its own').toBe(1);

    await leader.setLifecycleState('frozen');
    await world.notify(grace, ada, { about: 'Budget' });
    await expect.poll(listed(other)).toBe(2);

    await leader.activate();
    await leader.setLifecycleState('active');
    await expect.poll(listed(leader)).toBe(2);
    expect(await leader.evaluate('globalThis.wasFrozen')).toBe(true);
    await world.notify(grace, ada, { about: 'Notes' });
    await expect.poll(listed(leader)).toBe(3);
    await expect.poll(listed(other)).toBe(3);
    await expect.poll(count).toBe(1);
  },
);

import type { BrowserContext, Page } from '@playwright/test';
import { expect, test, type Person, type World } from './support/fixtures.ts';
import { unreadList } from './support/world.ts';

async function openTabs(context: BrowserContext, world: World, person: Person): Promise<Page[]> {
  const first = await context.newPage();
  await world.enter(first, person);
  const others = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const page = await context.newPage();
      await page.goto(`${world.appUrl}/home`);
      return page;
    }),
  );
  const tabs = [first, ...others];
  await Promise.all(tabs.map((tab) => expect(tab.getByRole('heading', { name: 'Inbox' })).toBeVisible()));
  await expect.poll(() => world.stage.supabase.realtime.statistics.rooms).toBeGreaterThan(0);
  return tabs;
}

/** The tab that keeps the websocket. */
async function findLeader(tabs: readonly Page[], sockets: ReadonlyMap<Page, number>): Promise<Page> {
  const leader = tabs.find((tab) => (sockets.get(tab) ?? 0) > 0);
  if (!leader) throw new Error('no tab has a websocket');
  return leader;
}

function countSockets(context: BrowserContext): ReadonlyMap<Page, number> {
  const sockets = new Map<Page, number>();
  const add = (page: Page, by: number) => sockets.set(page, (sockets.get(page) ?? 0) + by);
  context.on('page', (page) =>
    page.on('websocket', (socket) => {
      add(page, 1);
      socket.on('close', () => add(page, -1));
    }),
  );
  return sockets;
}

async function expectEverywhere(tabs: readonly Page[], title: string): Promise<void> {
  await Promise.all(
    tabs.map((tab) => expect(tab.locator('main [data-id]').filter({ hasText: title })).toBeVisible()),
  );
}

/**
 * Runs in the page: the ids of the list from its top to its loaded end, in order. Scrolling renders the rows, because
 * only those near the visible part are in the document, and loads the next page.
 */
async function readWholeList(): Promise<readonly string[]> {
  const ids = new Set<string>();
  const rendered = () =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  let previousY = -1;
  for (scrollTo(0, 0); scrollY > previousY; scrollBy(0, 400)) {
    previousY = scrollY;
    await rendered();
    for (const row of document.querySelectorAll<HTMLElement>('main [data-id]'))
      ids.add(row.dataset['id'] ?? '');
  }
  return [...ids];
}

/** Kills the page's process, so that none of its handlers runs. */
async function crash(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  cdp.send('Page.crash').catch(() => undefined);
  await crashed;
}

test(
  'five tabs share one websocket; changes keep arriving when its tab is closed or crashes',
  { tag: '@sockets' },
  async ({ context, world }) => {
    const [ada, grace] = await world.newPair();
    const sockets = countSockets(context);
    const { statistics } = world.stage.supabase.realtime;
    const count = () => world.stage.supabase.realtime.statistics.sockets;
    expect(statistics.sockets).toBe(0);
    let tabs = await openTabs(context, world, ada);
    await world.notify(grace, ada, { about: 'Five tabs' });
    await expectEverywhere(tabs, 'Five tabs');
    expect(count()).toBe(1);

    const closed = await findLeader(tabs, sockets);
    await closed.close();
    tabs = tabs.filter((tab) => tab !== closed);
    await world.notify(grace, ada, { about: 'Four tabs' });
    await expectEverywhere(tabs, 'Four tabs');
    await expect.poll(count).toBe(1);

    const crashed = await findLeader(tabs, sockets);
    await crash(crashed);
    tabs = tabs.filter((tab) => tab !== crashed);
    await world.notify(grace, ada, { about: 'Three tabs' });
    await expectEverywhere(tabs, 'Three tabs');
    await expect.poll(count).toBe(1);
    await Promise.all(tabs.map((tab) => expect(tab).toHaveTitle(/\(3\)/)));
  },
);

test(
  'every tab equals the table after the live server restarts during 500 writes',
  { tag: ['@nightly', '@faults', '@sockets', '@database'] },
  async ({ context, world }) => {
    const { realtime } = world.stage.supabase;
    const ada = await world.newUser();
    const tabs = await openTabs(context, world, ada);
    const insert = (from: number, to: number) =>
      world.stage.query(
        `insert into public.notifications (recipient_id, content)
       select $1, json_build_object('type', 'edit', 'data', json_build_object('entity_name', 'Row ' || n))::text
       from generate_series($2::int, $3::int) n`,
        [ada.id, from, to],
      );
    const oldest =
      '(select id from public.notifications where recipient_id = $1 order by created_at, id limit $2)';
    let written = 0;
    for (let turn = 0; turn < 10; turn += 1) {
      if (turn === 3) await realtime.faults.kill();
      if (turn === 7) await realtime.faults.recover();
      await insert(written + 1, written + 20);
      await world.stage.query(`update public.notifications set status = 'read' where id in ${oldest}`, [
        ada.id,
        20,
      ]);
      await world.stage.query(`delete from public.notifications where id in ${oldest}`, [
        ada.id,
        15 - (turn % 2) * 6,
      ]);
      written += 20;
    }
    const rows = await world.notificationsOf(ada);
    const unread = rows.filter(({ status }) => status === 'unread').length;
    expect(rows.length, 'some are left').toBeGreaterThan(20);
    await Promise.all(
      tabs.map(async (tab) => {
        await expect(async () => {
          const shown = await tab
            .locator('main [data-id]')
            .evaluateAll((items) => items.map((item) => item.getAttribute('data-id')));
          // More than the visible rows: the document holds some beyond them.
          expect(shown.length).toBeGreaterThanOrEqual(15);
          expect(shown).toEqual(rows.map(({ id }) => id).slice(0, shown.length));
        }).toPass();
        await expect(unreadList(tab, unread)).toBeVisible();
        await expect(tab.getByRole('link', { name: `All, ${rows.length}` }).first()).toBeVisible();
      }),
    );
    for (const tab of tabs) {
      // The browser renders a tab in the background once a second.
      await tab.bringToFront();
      await expect(async () => {
        expect(await tab.evaluate(readWholeList)).toEqual(rows.map(({ id }) => id));
      }).toPass();
    }
    await expect.poll(() => realtime.statistics.sockets).toBe(1);
  },
);

import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';
import { unreadList } from './support/world.ts';

const rows = (page: Page) => page.locator('main [data-id]');
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });

async function act(page: Page, title: string, action: string): Promise<void> {
  await row(page, title).hover();
  await row(page, title).getByRole('button', { name: action }).click();
}

test('a user archives and restores; tab and type stay in the URL over actions, reload and Back', async ({
  page,
  world,
}) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { about: 'Plan' });
  await world.notify(grace, ada, { about: 'Budget', kind: 'comment' });
  await world.enter(page, ada);
  await act(page, 'Plan', 'Archive');
  await expect(rows(page)).toHaveCount(1);

  const lists = page.getByRole('navigation', { name: 'Lists' }).first();
  await lists.getByRole('link', { name: 'Archived, 1' }).click();
  await expect(page).toHaveURL(/\?tab=archived$/);
  await act(page, 'Plan', 'Move to inbox');
  await expect(page.getByText('Nothing archived.')).toBeVisible();
  await lists.getByRole('link', { name: 'Unread, 1' }).click();
  await expect(rows(page)).toHaveCount(1);
  await lists.getByRole('link', { name: 'All, 2' }).click();
  await page
    .getByRole('link', { name: /^Comments, 1 unread/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\?kind=comment$/);
  await expect(rows(page)).toHaveCount(1);
  await act(page, 'Budget', 'Mark as read');
  await expect(page).toHaveURL(/\?kind=comment$/);
  await page.reload();
  await expect(row(page, 'Budget')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.goBack();
  await expect(rows(page)).toHaveCount(2);
});

test('an archived row slides out from its own place', { tag: '@nightly' }, async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 4 });
  await world.enter(page, ada);
  const leaving = rows(page).nth(1);
  await leaving.hover();
  const before = await leaving.boundingBox();
  // Pauses the row's animation at its start.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Animation.enable');
  await devTools.send('Animation.setPlaybackRate', { playbackRate: 0 });
  await leaving.getByRole('button', { name: 'Archive' }).click();
  const copy = page.locator('main li[aria-hidden="true"][inert]');
  await expect(copy).toHaveCount(1);
  expect(await copy.boundingBox()).toEqual(before);
});

test('several selected notifications are archived at once', { tag: '@nightly' }, async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 4 });
  await world.enter(page, ada);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('checkbox', { name: /Document 1$/ }).check();
  await page.getByRole('checkbox', { name: /Document 2$/ }).check();
  const bar = page.getByRole('region', { name: 'Select' });
  await expect(bar.getByText('2 selected')).toBeVisible();
  await bar.getByRole('button', { name: 'Archive' }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(bar).toHaveCount(0);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await bar.getByRole('button', { name: 'Select all shown' }).click();
  await bar.getByRole('button', { name: 'Mark as read' }).click();
  await expect(unreadList(page, 0)).toBeVisible();
  await expect
    .poll(async () => (await world.notificationsOf(ada)).map(({ status }) => status).sort())
    .toEqual(['archived', 'archived', 'read', 'read']);
});

test(
  'keyboard shortcuts match the buttons and can be switched off',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 3 });
    await world.enter(page, ada);
    await expect(unreadList(page, 3)).toBeVisible();
    await page.locator('main [data-row]').first().focus();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    await expect(unreadList(page, 2)).toBeVisible();
    await page.keyboard.press('e');
    await expect(rows(page)).toHaveCount(2);
    await page.locator('main [data-row]').first().focus();
    await page.keyboard.press('#');
    await expect(rows(page)).toHaveCount(1);
    await page.locator('main [data-row]').first().focus();
    await page.keyboard.press('z');
    await expect(rows(page)).toHaveCount(2);
    await page.locator('main [data-row]').first().focus();
    await page.keyboard.press('Shift+R');
    await expect(unreadList(page, 0)).toBeVisible();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByRole('switch', { name: 'Use keyboard shortcuts' }).click();
    await page.keyboard.press('Escape');
    await page.locator('main [data-row]').first().focus();
    await page.keyboard.press('e');
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('main [data-row]').nth(1)).toBeFocused();
    await expect(rows(page), 'letters do nothing now').toHaveCount(2);
  },
);

test(
  'the bell of other pages shows the newest, and shares its state with the rail',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 10 });
    await world.enter(page, ada, '/preferences');
    const button = page.getByRole('button', { name: /^Notifications/ });
    await expect(button).toHaveAccessibleName('Notifications, 10 unread');
    const badge = await button.getByText('10').boundingBox();
    expect(badge?.height, 'the number is on one line').toBeLessThan(24);
    expect(badge?.y).toBeGreaterThanOrEqual(0);
    await button.click();
    const panel = page.getByRole('dialog', { name: 'Inbox' });
    await expect(panel.locator('[data-id]')).toHaveCount(8);
    await panel.getByRole('button', { name: 'Mark all read' }).click();
    await expect(button).toHaveAccessibleName('Notifications');
    await expect(page.getByRole('link', { name: 'Unread, 0' }).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    await expect(button).toBeFocused();
  },
);

test(
  'a scrolled list keeps its position, and a pill counts new notifications',
  { tag: '@both-sources' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 40 });
    await world.enter(page, ada);
    await expect(rows(page).first()).toBeVisible();
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 1_500);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(500);
    await world.notify(grace, ada, { about: 'Breaking news' });
    const pill = page.getByRole('button', { name: '1 new' });
    await expect(pill).toBeVisible();
    await expect(row(page, 'Breaking news')).toHaveCount(0);
    await expect(page).toHaveTitle(/\(41\)/);
    await pill.click();
    await expect(row(page, 'Breaking news')).toBeInViewport();
  },
);

test('the next page arrives without moving the list or the focus', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 60 });
  await world.enter(page, ada);
  await expect(rows(page)).toHaveCount(30);
  const focused = rows(page).nth(20).getByRole('link');
  const name = await focused.textContent();
  await focused.evaluate((link) => link.focus({ preventScroll: true }));
  await page.mouse.move(600, 500);
  await page.mouse.wheel(0, 1_000);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(3_000);
  // Only rows near the visible part are left in the document.
  await expect(page.locator('[data-list] ul').last()).toHaveAttribute('style', /padding-block: 0px [1-9]/);
  await expect(rows(page)).not.toHaveCount(60);
  expect(await page.evaluate(() => scrollY)).toBe(1_000);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
});

test(
  'a window that is higher than the first page gets the next one',
  { tag: '@nightly' },
  async ({ page, world }) => {
    await page.setViewportSize({ width: 1280, height: 2_400 });
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 40 });
    await world.enter(page, ada);
    await expect(rows(page)).toHaveCount(40);
    await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0);
  },
);

test('J steps past the first page', { tag: '@nightly' }, async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 60 });
  await world.enter(page, ada);
  await expect(rows(page)).toHaveCount(30);
  const position = () => page.evaluate(() => document.activeElement?.closest('li')?.ariaPosInSet);
  for (let steps = 1; steps <= 45; steps += 1) {
    await page.keyboard.press('j');
    await expect.poll(position).toBe(String(steps));
  }
});

test(
  'a row far from the visible part is scrolled to and focused, and all rows are printed',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 60 });
    await world.enter(page, ada);
    await expect(rows(page)).toHaveCount(30);
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 1_000);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
      .toBeGreaterThan(3_000);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const last = page.locator('main [aria-posinset="58"]');
    await last.getByRole('link').click();
    await expect(page).toHaveURL(/open=/);
    await page.evaluate(() => scrollTo(0, 0));
    await expect(last).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(last.getByRole('link')).toBeFocused();
    await expect(last).toBeInViewport();
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await expect(rows(page)).toHaveCount(60);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await expect(rows(page)).not.toHaveCount(60);
  },
);

test(
  'more than a hundred notifications load page by page, with few rows in the document, and the counts are right at once',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 101 });
    await world.enter(page, ada);
    await expect(unreadList(page, 101)).toBeVisible();
    const seen = new Set<string | null>();
    await page.mouse.move(600, 500);
    await expect(async () => {
      for (const id of await rows(page).evaluateAll((items) =>
        items.map((item) => item.getAttribute('data-id')),
      ))
        seen.add(id);
      expect(await rows(page).count()).toBeLessThan(60);
      await page.mouse.wheel(0, 500);
      expect(seen.size).toBe(101);
    }).toPass({ intervals: [50] });
    expect(seen).toEqual(new Set((await world.notificationsOf(ada)).map(({ id }) => id)));
    await expect(page.getByRole('button', { name: 'Load more' })).toBeHidden();
  },
);

test('a reload keeps the scroll position', { tag: '@nightly' }, async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 40 });
  await world.enter(page, ada);
  await expect(rows(page).first()).toBeVisible();
  await page.mouse.move(600, 500);
  await page.mouse.wheel(0, 900);
  await expect
    .poll(() =>
      page.evaluate(() => (history.state as { inboxScroll?: { y: number } } | null)?.inboxScroll?.y),
    )
    .toBe(900);
  await page.reload();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(900);
});

test(
  'Back to the list keeps its position; another tab starts at its top',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 60 });
    await world.enter(page, ada);
    await expect(rows(page).first()).toBeVisible();
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 1_000);
    await expect
      .poll(() =>
        page.evaluate(() => (history.state as { inboxScroll?: { y: number } } | null)?.inboxScroll?.y),
      )
      .toBe(1_000);
    // A row within the viewport: Playwright would scroll to any other, and so move the list itself. It is found in one step,
    // because the next page replaces the elements.
    const idInView = await page.evaluate(() => {
      const items = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
      return items.find((item) => item.getBoundingClientRect().top > innerHeight / 2)?.dataset['id'];
    });
    await page.locator(`[data-id="${idInView}"]`).getByRole('link').click();
    await expect(page).toHaveURL(/open=/);
    // Closing goes back to the list's entry; a second key at once does not leave it.
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Escape')]);
    await expect(page).not.toHaveURL(/open=/);
    await page.goForward();
    await expect(page).toHaveURL(/open=/);
    // Rows are narrower beside the detail.
    await expect(page.locator('[data-detail-panel]')).toBeVisible();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(800);
    // Rows above the viewport are measured later, so compare the position of a row, not the scroll offset.
    const firstRow = () =>
      page.evaluate(() => {
        const items = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
        const item = items.find((row) => row.getBoundingClientRect().bottom > 0);
        return { id: item?.dataset['id'], top: item?.getBoundingClientRect().top ?? NaN };
      });
    const before = await firstRow();
    const isBack = async () => {
      const { id, top } = await firstRow();
      // Tolerate one line, because a title above the row may wrap after the row was placed.
      return id === before.id && Math.abs(top - before.top) <= 20;
    };
    await page.getByRole('complementary').getByRole('link', { name: 'Preferences' }).click();
    await expect(page.getByRole('heading', { name: 'Preferences', level: 1 })).toBeVisible();
    await page.goBack();
    await expect(rows(page).first()).toBeVisible();
    await expect.poll(isBack).toBe(true);

    await page.reload();
    await expect.poll(isBack).toBe(true);

    await unreadList(page, 59).click();
    await expect(page).toHaveURL(/tab=unread/);
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  },
);

test(
  'a slow page shows rows in each frame: when the next page arrives, after jumps, Back and a reload',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 60 });
    // Runs in each document, before the application: collects the frames of the inbox without a row in the lower half, from
    // the first rows on.
    await page.addInitScript(() => {
      const frames = { seen: 0, empty: [] as string[] };
      Object.assign(window, { listFrames: frames });
      const look = () => {
        const rowTops = [...document.querySelectorAll('main [data-id]')].map(
          (item) => item.getBoundingClientRect().top,
        );
        if (location.pathname === '/home' && (rowTops.length > 0 || frames.seen > 0)) {
          frames.seen += 1;
          if (!rowTops.some((top) => top > innerHeight / 2 && top < innerHeight))
            frames.empty.push(`${Math.round(scrollY)}: ${rowTops.map(Math.round).join(' ')}`);
        }
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    const expectFilledFrames = async () => {
      const frames = await page.evaluate(
        () => (window as unknown as { listFrames: { seen: number; empty: string[] } }).listFrames,
      );
      expect(frames.seen).toBeGreaterThan(0);
      expect(frames.empty).toEqual([]);
    };
    const heightOf = () => page.evaluate(() => document.documentElement.scrollHeight);

    await world.enter(page, ada);
    await expect(rows(page)).toHaveCount(30);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 1_000);
    await expect.poll(heightOf).toBeGreaterThan(3_000);
    await expect(rows(page)).not.toHaveCount(60);
    for (const top of [2_400, 0, 1_200]) {
      await page.evaluate((y) => scrollTo(0, y), top);
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(top);
    }
    const savedPosition = () =>
      page.evaluate(() => (history.state as { inboxScroll?: { y: number } } | null)?.inboxScroll?.y);
    await expect.poll(savedPosition).toBe(1_200);
    await page
      .getByRole('complementary', { name: 'Views' })
      .getByRole('link', { name: 'Preferences' })
      .click();
    await expect(page.getByRole('heading', { name: 'Preferences', level: 1 })).toBeVisible();
    await page.goBack();
    await expect(rows(page).first()).toBeVisible();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(1_200);
    await expectFilledFrames();
    await page.reload();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(1_200);
    await expectFilledFrames();
  },
);

test('the detail opens beside the list, and J and K step through it', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 3 });
  await world.enter(page, ada);
  await rows(page).first().getByRole('link').click();
  const panel = page.getByRole('complementary', { name: /mentioned you in Document 3/ });
  await expect(panel).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('complementary', { name: /mentioned you in Document 2/ })).toBeVisible();
  await page.getByRole('button', { name: 'Previous notification' }).click();
  await expect(panel).toBeVisible();
  await page.keyboard.press('e');
  await expect(page.getByRole('complementary', { name: /mentioned you in Document 2/ })).toBeVisible();
  await expect(rows(page)).toHaveCount(2);
  await page.keyboard.press('z');
  await expect(rows(page)).toHaveCount(3);
  // Enter moves the focus to the panel, where its keys work; Escape returns to the row.
  const link = row(page, 'Document 1').getByRole('link');
  await link.focus();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('complementary', { name: /mentioned you/ }).getByRole('heading');
  await expect(heading).toBeFocused();
  await page.keyboard.press('r');
  await page.keyboard.press('Escape');
  await expect(heading).toHaveCount(0);
  await expect(link).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(heading).toBeFocused();
  // Escape closes what is above the page first.
  const popover = page.getByRole('dialog', { name: 'Filter' });
  const detail = page.getByRole('complementary', { name: /mentioned you/ });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(popover).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(popover).toBeHidden();
  await expect(detail).toBeVisible();
  // The second Escape may follow before the event of the popover's closing.
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(popover).toBeVisible();
  await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Escape')]);
  await expect(popover).toBeHidden();
  await expect(detail).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);
});

test('Shift selects a range, and Escape ends the selection', { tag: '@nightly' }, async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 5 });
  await world.enter(page, ada);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await rows(page).nth(0).getByRole('link').click();
  await rows(page)
    .nth(3)
    .getByRole('link')
    .click({ modifiers: ['Shift'] });
  await expect(page.getByText('4 selected')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Select' })).toBeHidden();
});

test(
  'the inbox shows that it is offline, keeps the list, and catches up when online',
  { tag: '@faults' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Before' });
    await world.enter(page, ada);
    await expect(row(page, 'Before')).toBeVisible();
    await page.context().setOffline(true);
    await expect(page.getByText('You’re offline.')).toBeVisible();
    world.stage.supabase.faults.dropSockets();
    await world.notify(grace, ada, { about: 'Meanwhile' });
    await expect(row(page, 'Before')).toBeVisible();
    await page.context().setOffline(false);
    await expect(row(page, 'Meanwhile')).toBeVisible();
    await expect(page.getByText('You’re offline.')).toBeHidden();
  },
);

test(
  'a refused action is rolled back with a message, and can be retried',
  { tag: ['@nightly', '@faults'] },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Plan' });
    await world.enter(page, ada);
    await expect(row(page, 'Plan')).toBeVisible();
    const heal = world.stage.supabase.faults.add({
      method: 'PATCH',
      path: '/rest/v1/notifications',
      response: { status: 403, body: { code: '42501', message: 'no', details: null, hint: null } },
    });
    await act(page, 'Plan', 'Mark as read');
    await expect(page.getByText('Something went wrong. Your change was undone.')).toBeVisible();
    await expect(unreadList(page, 1)).toBeVisible();
    heal();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(unreadList(page, 0)).toBeVisible();
  },
);

test('a second tab shows a change before the response arrives', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { about: 'Plan' });
  await world.enter(page, ada);
  const second = await page.context().newPage();
  await second.goto(`${world.appUrl}/home`);
  await expect(row(second, 'Plan')).toBeVisible();
  await expect(second).toHaveTitle(/\(1\)/);
  // The response is delayed, so only the broadcast of the other tab can have changed this one.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/rest/v1/notifications*', async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  // A tab behind another one is drawn once a second, which each click waits for.
  await page.bringToFront();
  await act(page, 'Plan', 'Mark as read');
  await expect(unreadList(second, 0)).toBeVisible();
  await expect(second).not.toHaveTitle(/\(1\)/);
  release();
  await expect.poll(async () => (await world.notificationsOf(ada))[0]?.status).toBe('read');
});

test('preferences changed in one tab update the other', { tag: '@nightly' }, async ({ page, world }) => {
  const person = await world.newUser();
  await world.enter(page, person, '/preferences');
  const second = await page.context().newPage();
  await second.goto(`${world.appUrl}/preferences`);
  const edits = (tab: Page) => tab.getByRole('group', { name: 'Edits' });
  const toggle = (tab: Page) => edits(tab).getByRole('switch', { name: 'In app' });
  await expect(toggle(page)).toBeChecked();
  await expect(toggle(second)).toBeChecked();
  await page.bringToFront();
  await toggle(page).click();
  await expect(toggle(second)).not.toBeChecked();
  await page.getByRole('switch', { name: 'In-app notifications' }).click();
  await expect(toggle(second)).toBeDisabled();
  await expect(edits(second).getByText('Paused. Your choice “off” is kept.')).toBeVisible();
});

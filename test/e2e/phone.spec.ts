import type { Locator, Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

/** The part of an element that lies inside the window, from top to bottom, in pixels. */
async function visibleHeightPx(locator: Locator): Promise<number> {
  return locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
  });
}

/** Scrolls down until the bars are hidden, again and again while their code loads. */
async function scrollBarsAway(page: Page): Promise<void> {
  await expect(async () => {
    await page.mouse.wheel(0, 150);
    expect(await visibleHeightPx(topBar(page))).toBe(0);
  }).toPass();
  await expect.poll(() => visibleHeightPx(tabBar(page))).toBe(0);
}

const topBar = (page: Page) => page.locator('header');
const tabBar = (page: Page) => page.getByRole('navigation', { name: 'Main' }).last();

test.describe('on a phone', () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });

  for (const reducedMotion of ['no-preference', 'reduce'] as const)
    test(
      `the bars hide when scrolling down and show when scrolling up, with motion: ${reducedMotion}`,
      reducedMotion === 'reduce' ? { tag: '@nightly' } : {},
      async ({ page, world }) => {
        await page.emulateMedia({ reducedMotion });
        const [ada, grace] = await world.newPair();
        await world.notify(grace, ada, { count: 20 });
        await world.enter(page, ada);
        const rows = page.locator('main [data-id]');
        await expect(rows).toHaveCount(20);
        const wholeRows = await rows.evaluateAll(
          (elements) =>
            elements.filter((element) => {
              const { top, bottom } = element.getBoundingClientRect();
              return top >= 56 && bottom <= innerHeight - 56;
            }).length,
        );
        expect(wholeRows, 'rows between the bars').toBeGreaterThanOrEqual(5);

        await scrollBarsAway(page);
        // The bars may already be hidden while the first day's heading is still below them.
        await page.mouse.wheel(0, 300);
        // The heading of the day replaces the bar.
        await expect
          .poll(() =>
            page
              .getByRole('heading', { level: 2 })
              .first()
              .evaluate((day) => day.getBoundingClientRect().top),
          )
          .toBe(0);
        await page.mouse.wheel(0, -60);
        await expect.poll(() => visibleHeightPx(topBar(page))).toBe(56);
        await expect.poll(() => visibleHeightPx(tabBar(page))).toBeGreaterThanOrEqual(56);
      },
    );

  test('the tab of the inbox has the number of unread notifications, and the header has no bell', async ({
    page,
    world,
  }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 12 });
    await world.enter(page, ada, '/preferences');
    const tab = tabBar(page).getByRole('link', { name: 'Inbox, 12 unread' });
    await expect(tab).toBeVisible();
    const badge = await tab.getByText('12').boundingBox();
    expect(badge?.height, 'the number is on one line').toBeLessThan(24);
    await expect(page.getByRole('banner').getByRole('button')).toHaveCount(1);
    await tab.click();
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  });

  test(
    'the keyboard finds the bars, and no focused row lies below one',
    { tag: '@nightly' },
    async ({ page, world }) => {
      const [ada, grace] = await world.newPair();
      await world.notify(grace, ada, { count: 20 });
      await world.enter(page, ada);
      await expect(page.locator('main [data-id]')).toHaveCount(20);
      await scrollBarsAway(page);
      const isUncovered = () =>
        page.evaluate(() => {
          const focused = document.activeElement;
          if (!focused || focused === document.body) return false;
          const { left, top, width, height } = focused.getBoundingClientRect();
          const found = document.elementFromPoint(left + width / 2, top + height / 2);
          return found !== null && (focused.contains(found) || found.contains(focused));
        });
      await page.locator('main [data-row]').nth(8).focus();
      for (let step = 0; step < 10; step += 1) {
        await page.keyboard.press('Tab');
        await expect.poll(isUncovered).toBe(true);
      }
      for (let step = 0; step < 24; step += 1) {
        await page.keyboard.press('Shift+Tab');
        await expect.poll(isUncovered).toBe(true);
      }
      await tabBar(page).getByRole('link').first().focus();
      await page.keyboard.press('Tab');
      await expect.poll(() => visibleHeightPx(tabBar(page))).toBeGreaterThanOrEqual(56);
    },
  );
});

test('the tabs fade at the end where some are hidden', { tag: '@nightly' }, async ({ page, world }) => {
  await page.addInitScript(() => localStorage.setItem('language', 'de'));
  await page.setViewportSize({ width: 320, height: 640 });
  await world.enter(page, await world.newUser());
  const tabs = page.getByRole('navigation', { name: 'Listen' });
  const fadedPx = () =>
    tabs.evaluate((element) => {
      const style = getComputedStyle(element);
      return [style.getPropertyValue('--fade-start'), style.getPropertyValue('--fade-end')];
    });
  await expect.poll(fadedPx).toEqual(['0px', '32px']);
  await tabs.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
  await expect.poll(fadedPx).toEqual(['32px', '0px']);
  // A narrow window scrolls the tabs to the current one, which does not fade itself.
  await page.goto(`${world.appUrl}/home?tab=unread`);
  const startPx = () =>
    tabs.evaluate((nav) => {
      const current = nav.querySelector('[aria-current]') ?? nav;
      return current.getBoundingClientRect().left - nav.getBoundingClientRect().left;
    });
  await expect.poll(startPx).toBeGreaterThanOrEqual(32);
});

test(
  'the questions of a first visit have a margin and one column of selects',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const person = await world.newUser();
    await world.auth.send('PUT', '/user', {
      token: person.accessToken,
      body: { data: { first_visit: true } },
    });
    await page.addInitScript(() => localStorage.setItem('language', 'de'));
    await page.setViewportSize({ width: 390, height: 844 });
    await world.enter(page, person);
    const questions = page.getByRole('region', { name: 'Drei kurze Fragen' });
    await expect(questions.getByRole('combobox')).toHaveCount(3);
    const sides = await questions.evaluate((region) => ({
      card: region.parentElement?.getBoundingClientRect().left,
      selects: Array.from(
        region.querySelectorAll('select'),
        (select) => select.getBoundingClientRect().right,
      ),
    }));
    expect(sides.card).toBe(16);
    expect(new Set(sides.selects).size).toBe(1);
  },
);

test(
  'in a window of 200 px the bars leave most of it to the page',
  { tag: '@nightly' },
  async ({ page, world }) => {
    await page.setViewportSize({ width: 320, height: 200 });
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 12 });
    await world.enter(page, ada);
    await expect(page.locator('main [data-id]')).toHaveCount(12);
    expect((await visibleHeightPx(topBar(page))) + (await visibleHeightPx(tabBar(page)))).toBeLessThanOrEqual(
      120,
    );
    await scrollBarsAway(page);
    await page.setViewportSize({ width: 1280, height: 200 });
    await expect.poll(() => visibleHeightPx(topBar(page))).toBe(0);
  },
);

test(
  'a sender who writes from right to left changes neither times nor the place of buttons',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'خطة الحديقة' });
    await world.enter(page, ada);
    const row = page.locator('main [data-id]').first();
    await row.hover();
    const archive = await row.getByRole('button', { name: /^Archive/ }).boundingBox();
    const list = await row.boundingBox();
    const rightEdgePx = (list?.x ?? 0) + (list?.width ?? 0);
    expect(rightEdgePx - (archive?.x ?? 0)).toBeLessThan(160);
    const title = row.getByText('خطة الحديقة');
    const place = await title.boundingBox();
    expect((place?.x ?? 0) + (place?.width ?? 0)).toBeLessThanOrEqual((archive?.x ?? 0) + 1);
    await expect(title).toHaveCSS('direction', 'ltr');
    await expect(title).toHaveCSS('text-align', 'left');
    await expect(row.locator('bdi > time')).toHaveText('now');
  },
);

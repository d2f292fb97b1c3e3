import type { Locator, Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

/** Presses a key until a control has the focus. */
async function press(key: 'Tab' | 'Shift+Tab', page: Page, until: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await until.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead there`);
}

test('by keyboard: sign in, skip to the list, act, undo, and sign out', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 3 });
  await page.goto(`${world.appUrl}/login`);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await press('Tab', page, page.getByLabel('Email'));
  await page.keyboard.type(ada.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(ada.password);
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { name: 'Inbox' });
  await expect(heading).toBeFocused();
  await expect(page.locator('main [data-id]')).toHaveCount(3);

  await page.reload();
  await expect(page.locator('main [data-id]')).toHaveCount(3);
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('#content')).toBeFocused();
  await press('Tab', page, page.getByRole('button', { name: 'Mark all read' }));

  const links = page.locator('main [data-row]');
  await press('Tab', page, links.first());
  await page.keyboard.press('ArrowDown');
  await expect(links.nth(1)).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(links).toHaveCount(2);
  expect(
    await page.evaluate(() => document.activeElement?.closest('main') !== null),
    'the focus stays in the list',
  ).toBe(true);
  await press('Tab', page, page.getByRole('button', { name: 'Undo' }));
  await page.keyboard.press('Enter');
  await expect(links).toHaveCount(3);

  await page.evaluate(() => document.querySelector<HTMLElement>('h1')?.focus());
  await press('Shift+Tab', page, page.getByRole('button', { name: /^Account menu/ }));
  await page.keyboard.press('Enter');
  await press('Tab', page, page.getByRole('button', { name: 'Sign out' }));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/login');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeFocused();
});

test('a dialog traps and restores the focus; Escape closes it', async ({ page, world }) => {
  await world.enter(page, await world.newUser());
  const opener = page.getByRole('button', { name: 'Invite', exact: true });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Invite someone' });
  await expect(dialog).toBeVisible();
  for (let presses = 0; presses < 8; presses += 1) {
    await page.keyboard.press('Tab');
    const isOutside = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement !== document.body && activeElement?.closest('dialog') === null;
    });
    expect(isOutside).toBe(false);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  // Firefox calls the focus of a window behind another inactive.
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
});

test(
  'new notifications are announced in batches, at most one in five seconds',
  { tag: ['@nightly', '@sockets'] },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await page.clock.install();
    await world.enter(page, ada);
    await expect(page.getByText('No notifications yet.')).toBeVisible();
    await expect.poll(() => world.stage.supabase.realtime.statistics.channels).toBeGreaterThan(0);
    await page.evaluate(() => {
      const spoken: string[] = [];
      Object.assign(globalThis, { spoken });
      new MutationObserver((records) => {
        for (const { target } of records) {
          const region = target instanceof Element ? target : target.parentElement;
          const text = region?.closest('[role="status"]')?.textContent ?? '';
          if (text.includes('new notification')) spoken.push(text.trim());
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    const spoken = () => page.evaluate(() => (globalThis as { spoken?: string[] }).spoken);
    await world.notify(grace, ada, { count: 3 });
    await expect.poll(spoken).toEqual(['3 new notifications']);
    await world.notify(grace, ada, { about: 'Plan' });
    await world.notify(grace, ada, { about: 'Budget' });
    await expect(page.locator('main [data-id]')).toHaveCount(5);
    expect(await spoken()).toEqual(['3 new notifications']);
    await page.clock.fastForward(5_000);
    await expect.poll(spoken).toEqual(['3 new notifications', '2 new notifications']);
  },
);

test('reduced motion leaves only fades', async ({ page, world }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await world.enter(page, await world.newUser());
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Invite someone' })).toBeVisible();
  const shift = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--shift').trim(),
  );
  expect(shift).toBe('0px');
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((element) => {
        const { transitionProperty, transitionDuration } = getComputedStyle(element);
        const durations = transitionDuration.split(', ').map(parseFloat);
        return (
          /translate|transform|\ball\b/.test(transitionProperty) && durations.some((seconds) => seconds > 0.2)
        );
      }).length,
  );
  expect(moving).toBe(0);
});

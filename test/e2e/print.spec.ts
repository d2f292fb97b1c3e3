import type { Locator, Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

const keepsBackground = (locator: Locator) =>
  locator.evaluate((element) => getComputedStyle(element).getPropertyValue('print-color-adjust'));
const background = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const row = (page: Page, about: string) => page.locator('main [data-id]').filter({ hasText: about });

test(
  'the list, one notification and the switches are printed in dark colors on white, without controls',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    for (let count = 0; count < 31; count += 1) await world.notify(grace, ada, { about: `Note ${count}` });
    // A page of paper is narrower than the rail needs.
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.addInitScript(() => localStorage.setItem('theme', 'dark'));
    await world.signIn(page, ada);
    await expect(row(page, 'Note 30')).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    expect(await background(page)).toBe('rgb(255, 255, 255)');
    expect(await keepsBackground(row(page, 'Note 30'))).toBe('exact');
    await expect(page.locator('main').getByRole('button')).toHaveCount(0);
    await expect(page.locator('main').getByRole('link', { name: /^Archived/ })).toHaveCount(0);

    await page.emulateMedia({ media: 'screen' });
    await row(page, 'Note 30').getByRole('link').click();
    const sheet = page.getByRole('dialog');
    await expect(sheet.getByText('Mention', { exact: true })).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    await expect(sheet.getByText('Mention', { exact: true })).toBeVisible();
    await expect(sheet.getByRole('button')).toHaveCount(0);
    await expect(row(page, 'Note 29')).toBeHidden();

    await page.emulateMedia({ media: 'screen' });
    await page.goto(`${world.appUrl}/preferences`);
    const option = page.getByRole('switch', { name: 'Email notifications' });
    await expect(option).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    expect(await keepsBackground(option)).toBe('exact');
  },
);

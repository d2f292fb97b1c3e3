import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { isMarked: true }));
const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in window);

test(
  'pointing at a link while offline keeps the application, and the page opens when online again',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Plan' });
    await world.enter(page, ada);
    await expect(page.getByText(/in Plan/)).toBeVisible();
    await page.context().setOffline(true);
    await expect(page.getByText('You’re offline.')).toBeVisible();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'));
    const link = page.getByRole('link', { name: 'Preferences' }).first();
    await link.hover();
    await failed;
    await expect(page.getByText(/in Plan/)).toBeVisible();
    await link.click();
    const retry = page.getByRole('button', { name: 'Try again' });
    await expect(retry).toBeVisible();
    await expect(page.getByText('You’re offline.')).toBeVisible();
    await page.context().setOffline(false);
    await expect(page.getByText('You’re offline.')).toBeHidden();
    await retry.click();
    await expect(page.getByRole('switch', { name: /Email notifications/ })).toBeVisible();
  },
);

test('saving offline keeps the form with its values and shows the reason', async ({ page, world }) => {
  await world.enter(page, await world.newUser(), '/account');
  const name = page.getByRole('textbox', { name: 'Name' });
  await expect(name).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.getByText('You’re offline.')).toBeVisible();
  await name.fill('A long name that I typed');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect(page.getByText(/Can’t reach the server/).first()).toBeVisible();
  await expect(name).toHaveValue('A long name that I typed');
});

test('a page whose code was replaced by a new version reloads once', async ({ page, world }) => {
  await world.enter(page, await world.newUser());
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  await mark(page);
  await page.route('**/assets/preferences-*', (route) => route.fulfill({ status: 404 }));
  const link = page.getByRole('link', { name: 'Preferences' }).first();
  const gone = page.waitForResponse((response) => response.status() === 404);
  await link.hover();
  await gone;
  // The page was not visited yet.
  expect(await isMarked(page)).toBe(true);
  const reloaded = page.waitForEvent('load');
  await link.click();
  await reloaded;
  expect(await isMarked(page)).toBe(false);
  // A second failure does not reload again.
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

test.use({ serviceWorkers: 'allow' });

const note = (page: Page) => page.getByText('A new version is ready.');
const isInstalled = (page: Page) =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated');
/** Marks the document: a reload loses the mark. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { isMarked: true }));
const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in window);

test(
  'a new version is offered to pages that stay open, and starts only in those that ask for it',
  { tag: '@nightly' },
  async ({ page, context, stage, world }) => {
    await page.clock.install();
    await world.enter(page, await world.newUser());
    await expect.poll(() => isInstalled(page)).toBe(true);
    const other = await context.newPage();
    await other.goto(`${stage.appUrl}/account`);
    const name = other.getByLabel('Name');
    await name.fill('Typed, not saved');
    await Promise.all([mark(page), mark(other)]);

    await stage.releaseVersion();
    // The first page was opened without a worker, and looks for a new version within 70 minutes.
    await page.clock.fastForward('01:10:00');
    await expect(note(page)).toBeVisible();
    await expect(note(other)).toBeVisible();
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => isMarked(page)).toBe(false);
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
    await expect(note(page)).toBeHidden();

    // The other page keeps running, although its worker was replaced.
    await expect
      .poll(() => other.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting))
      .toBeNull();
    expect(await isMarked(other)).toBe(true);
    await expect(name).toHaveValue('Typed, not saved');
    await other.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => isMarked(other)).toBe(false);
  },
);

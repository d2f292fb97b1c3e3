import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';
import { unreadList } from './support/world.ts';

const rows = (page: Page) => page.locator('main [data-id]');
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });

async function openMenu(page: Page, title: string): Promise<void> {
  await row(page, title).hover();
  await row(page, title)
    .getByRole('button', { name: /^More actions/ })
    .click();
}

test('notifications about one document are grouped into one row', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { about: 'Budget' });
  for (let edit = 0; edit < 4; edit += 1)
    await world.notify(grace, ada, { about: 'Compiler notes', kind: 'edit' });
  await world.enter(page, ada);
  await expect(rows(page)).toHaveCount(2);
  const group = page.locator('main [data-row][aria-expanded]');
  await expect(group).toHaveAccessibleName(/edited Compiler notes.*4 updates/);
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  await group.click();
  await expect(rows(page)).toHaveCount(6);
  await group.focus();
  await page.keyboard.press('e');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows(page)).toHaveCount(6);
  await group.focus();
  await page.keyboard.press('r');
  await expect(unreadList(page, 1)).toBeVisible();
  await page.getByRole('button', { name: 'Inbox options' }).click();
  await page.getByRole('switch', { name: /Group notifications/ }).click();
  await page.keyboard.press('Escape');
  await expect(group).toHaveCount(0);
  await expect(rows(page)).toHaveCount(5);
});

test('edits of one person within a short time are one row; an open group lists the others', async ({
  page,
  world,
}) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { about: 'Roadmap', kind: 'comment' });
  await world.notify(grace, ada, { count: 12, about: 'Chapter', kind: 'edit' });
  await world.enter(page, ada);
  const group = page.locator('main [data-row][aria-expanded]');
  await expect(rows(page)).toHaveCount(2);
  await expect(group).toHaveAccessibleName(/made 12 edits.*12 updates/);
  await expect(unreadList(page, 13)).toBeVisible();
  await group.click();
  await expect(rows(page)).toHaveCount(14);
  // One row of an open group leaves it; the others stay listed.
  await row(page, 'edited Chapter 7').getByRole('link').focus();
  await page.keyboard.press('e');
  await expect(group).toHaveAccessibleName(/made 11 edits/);
  await expect(rows(page)).toHaveCount(13);
  await group.click();
  await expect(rows(page)).toHaveCount(2);
  // Search results are not grouped.
  await page.goto(`${world.appUrl}/home?q=chapter`);
  await expect(rows(page)).toHaveCount(11);
  await expect(group).toHaveCount(0);
  await page.goto(`${world.appUrl}/home`);
  await group.focus();
  await page.keyboard.press('e');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(group).toHaveAccessibleName(/made 11 edits/);
  await expect(unreadList(page, 12)).toBeVisible();

  await world.notify(grace, ada, { about: 'Roadmap' });
  await page.getByRole('button', { name: /mentioned you in Roadmap.*2 updates/ }).click();
  await page.getByRole('link', { name: /mentioned you in Roadmap/ }).click();
  const earlier = page.getByRole('region', { name: 'Earlier in this thread' });
  await earlier.getByRole('link', { name: /commented on Roadmap/ }).click();
  await expect(page.locator('[data-detail-panel] h2')).toHaveText(/commented on Roadmap/);
  await page.goBack();
  await expect(page.locator('[data-detail-panel]')).toHaveCount(0);
});

test('a reload right after an action shows the changed list before anything is read', async ({
  page,
  world,
}) => {
  const [ada, grace] = await world.newPair();
  for (const about of ['Budget', 'Roadmap']) await world.notify(grace, ada, { about });
  await world.enter(page, ada);
  await expect(rows(page)).toHaveCount(2);
  await page.reload();
  await row(page, 'Budget').getByRole('link').focus();
  await page.keyboard.press('e');
  await expect(rows(page)).toHaveCount(1);
  await page.route('**/rest/v1/**', () => new Promise(() => undefined));
  await page.reload();
  await expect(rows(page)).toHaveText([/Roadmap/]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an invitation is accepted in its row', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  const { status } = await world.rest.send('POST', '/rpc/create_invitation', {
    token: grace.accessToken,
    body: { invitee_email: ada.email, entity_name: 'Compiler notes' },
  });
  expect(status).toBe(200);
  await world.enter(page, ada);
  await page.getByRole('button', { name: /^Accept: / }).click();
  await expect(row(page, 'Compiler notes').getByText('Invitation accepted')).toBeVisible();
  await expect(unreadList(page, 0)).toBeVisible();
  await page.reload();
  await expect(row(page, 'Compiler notes').getByText('Invitation accepted')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Accept: / })).toHaveCount(0);
});

test('toasts stack above the selection bar @nightly', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.notify(grace, ada, { count: 4 });
  await world.enter(page, ada);
  const bar = page.getByRole('region', { name: 'Select' });
  for (const width of [320, 768]) {
    await page.setViewportSize({ width: 1280, height: 640 });
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.setViewportSize({ width, height: 640 });
    await page.getByRole('checkbox').first().check();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await expect(bar).toHaveCount(0);
    await page.setViewportSize({ width: 1280, height: 640 });
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.setViewportSize({ width, height: 640 });
    await page.getByRole('button', { name: 'Undo' }).click({ trial: true });
    await bar.getByRole('button', { name: 'Done' }).click({ trial: true });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rows(page)).toHaveCount(4);
    await bar.getByRole('button', { name: 'Done' }).click();
  }
});

test(
  'a user searches by words, snoozes until tomorrow, blocks and unblocks',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Engine plan' });
    await world.notify(grace, ada, { about: 'Budget', kind: 'comment' });
    await world.notify(grace, ada, { about: 'Engines of the world', kind: 'edit' });
    await world.enter(page, ada);
    await expect(rows(page)).toHaveCount(3);

    // The search opens with a key, filters during typing, is in the URL beside the kind, and ends with Escape.
    await page.keyboard.press('/');
    await page.keyboard.type('eng');
    await expect(rows(page)).toHaveCount(2);
    await expect(page.getByRole('status').filter({ hasText: '2 results' })).toBeVisible();
    await expect(page.locator('main mark').first()).toHaveText('Eng');
    await expect(page).toHaveURL(/\?q=eng$/);
    await page
      .getByRole('link', { name: /^Edits/ })
      .first()
      .click();
    await expect(page).toHaveURL(/\?kind=edit&q=eng$/);
    await expect(rows(page)).toHaveCount(1);
    await page.reload();
    await expect(rows(page)).toHaveCount(1);
    const field = page.getByRole('searchbox', { name: 'Search notifications' });
    await field.fill('nothing like it');
    await expect(page.getByText('No results for “nothing like it”.')).toBeVisible();
    await field.press('Escape');
    await expect(page).toHaveURL(/\?kind=edit$/);
    await page
      .getByRole('link', { name: /^Edits/ })
      .first()
      .click();
    await expect(rows(page)).toHaveCount(3);

    // Snooze: the row leaves all other lists and counts until the snooze is undone.
    await openMenu(page, 'Budget');
    await page.getByRole('menuitem', { name: 'Snooze…' }).click();
    await page.getByRole('button', { name: /^Tomorrow/ }).click();
    await expect(rows(page)).toHaveCount(2);
    await expect(unreadList(page, 2)).toBeVisible();
    const lists = page.getByRole('navigation', { name: 'Lists' }).first();
    await lists.getByRole('link', { name: 'Snoozed, 1' }).click();
    await expect(page.getByRole('heading', { name: 'Tomorrow' })).toBeVisible();
    await expect(row(page, 'Budget')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Nothing snoozed.')).toBeVisible();
    await lists.getByRole('link', { name: 'All, 3' }).click();

    // A date that is typed in one go, as the field takes it from part to part.
    await openMenu(page, 'Budget');
    await page.getByRole('menuitem', { name: 'Snooze…' }).click();
    const until = page.getByLabel('Date and time');
    await until.focus();
    const nextYear = new Date().getFullYear() + 1;
    await page.keyboard.type(`1225${nextYear}0930AM`);
    await expect(until).toHaveValue(`${nextYear}-12-25T09:30`);
    await page.getByRole('button', { name: 'Snooze', exact: true }).click();
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rows(page)).toHaveCount(3);

    // Block: later notifications of the sender are not delivered.
    await openMenu(page, 'Engine plan');
    await page.getByRole('menuitem', { name: /^Block / }).click();
    await expect(page.getByText(/is blocked\./)).toBeVisible();
    await world.notify(grace, ada, { about: 'Unwanted' }).catch(() => undefined);
    await page.goto(`${world.appUrl}/preferences`);
    await page.getByRole('button', { name: /^Unblock / }).click();
    // The list changes before the response arrives; the note appears afterwards.
    await expect(page.getByText(/is no longer blocked\./)).toBeVisible();
    await world.notify(grace, ada, { about: 'Welcome back' });
    await page.goto(`${world.appUrl}/home`);
    await expect(row(page, 'Welcome back')).toBeVisible();
    await expect(row(page, 'Unwanted')).toHaveCount(0);
  },
);

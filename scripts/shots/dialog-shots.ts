import type { Page } from 'playwright-core';
import { fillInbox } from './inbox-rows.ts';
import type { Shot } from './shot.ts';
import type { Words } from './words.ts';

const ada = { user: 'ada@example.com', path: '/home', prepare: fillInbox, isWindow: true } as const;

/** Dialogs and screens that open over the inbox or replace it. */
export const dialogShots: readonly Shot[] = [
  {
    ...ada,
    name: 'inbox-keys',
    async arrange({ page, say }) {
      await row(page, 'Analytical Engine').focus();
      // The keyboard shortcuts are loaded together with the search.
      await page.locator('input[type=search]').waitFor({ state: 'attached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: say('Keyboard shortcuts') }).waitFor();
    },
  },
  { ...ada, name: 'inbox-filter', arrange: ({ page, say }) => openFilter(page, say) },
  {
    ...ada,
    name: 'inbox-filtered',
    path: '/home?kind=comment&tab=needs-you',
    arrange: ({ page, say }) => page.getByRole('group', { name: say('Filter') }).waitFor(),
  },
  {
    ...ada,
    name: 'inbox-snooze',
    async arrange({ page, say }) {
      await openDetail(page);
      await page.getByRole('button', { name: say('Snooze…'), exact: true }).click();
      await page.getByLabel(say('Date and time')).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-snoozed',
    path: '/home?tab=snoozed',
    async prepare(stage, at) {
      await fillInbox(stage, at);
      await stage.supabase.database.query(
        `update public.notifications set snoozed_until = $1::timestamptz + interval '1 day'
         where status = 'unread' and recipient_id = (select id from auth.users where email = 'ada@example.com')`,
        [at.toISOString()],
      );
    },
    arrange: ({ page }) => page.locator('main [data-row]').first().waitFor(),
  },
  {
    ...ada,
    name: 'inbox-search',
    async arrange({ page, say }) {
      await search(page, say, 'notes');
      await page.getByText(/2 results|2 Treffer|2 Ergebnisse/).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-search-empty',
    async arrange({ page, say }) {
      await search(page, say, 'quaternions');
      await page.getByText(/“quaternions”|„quaternions“/).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-thread',
    async arrange({ page }) {
      await row(page, 'Compiler notes').first().click();
    },
  },
  {
    ...ada,
    name: 'inbox-detail-invite',
    async arrange({ page, say }) {
      await row(page, 'Formal logic').first().click();
      await page.getByRole('button', { name: say('Next notification') }).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-detail-gone',
    path: '/home?open=00000000-0000-4000-8000-000000000000',
    arrange: ({ page, say }) => page.getByText(say('This notification no longer exists.')).waitFor(),
  },
  {
    ...ada,
    name: 'inbox-report',
    async arrange({ page, say }) {
      await page.locator('main [data-row]').first().waitFor();
      await pressInMenu(page, say, /^(Report…|Melden …|Melden…)$/);
      await page
        .getByRole('dialog')
        .getByRole('radio')
        .first()
        .or(page.getByRole('combobox'))
        .first()
        .waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-pending',
    async arrange({ page, say }) {
      const first = row(page, 'Analytical Engine');
      await first.waitFor();
      // The list of the dialog is loaded ahead, because it opens without a network.
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => /pending-list.*\.js/.test(name)),
      );
      await page.context().setOffline(true);
      await page
        .getByText(/^(You’re|Du bist) offline\./)
        .first()
        .waitFor();
      await first.focus();
      await page.keyboard.press('e');
      await page.getByRole('button', { name: say('Show'), exact: true }).click();
      await page.getByRole('dialog', { name: say('Waiting to sync') }).waitFor();
    },
  },
];

const row = (page: Page, text: string) => page.locator('main [data-row]').filter({ hasText: text });

async function openDetail(page: Page): Promise<void> {
  await page.getByRole('link', { name: /Analytical Engine/ }).click();
}

async function openFilter(page: Page, say: Words): Promise<void> {
  await page.getByRole('button', { name: say('Filter'), exact: true }).click();
  await page.getByRole('dialog', { name: say('Filter') }).waitFor();
}

async function search(page: Page, say: Words, words: string): Promise<void> {
  const field = page.getByRole('searchbox');
  await page.locator('main [data-row]').first().waitFor();
  if (!(await field.isVisible()))
    await page.getByRole('button', { name: say('Search notifications') }).click();
  await field.fill(words);
}

async function pressInMenu(page: Page, say: Words, name: RegExp): Promise<void> {
  await openDetail(page);
  await page.getByRole('button', { name: say('More actions'), exact: true }).click();
  await page
    .getByRole('menuitem')
    .or(page.getByRole('dialog').getByRole('button'))
    .filter({ hasText: name })
    .click();
}

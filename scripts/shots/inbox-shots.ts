import type { Page } from 'playwright-core';
import type { Stage } from '../../test/e2e/support/stage.ts';
import { emptyInbox, fillInbox, fillLongInbox } from './inbox-rows.ts';
import type { Shot } from './shot.ts';

const ada = { user: 'ada@example.com', path: '/home', prepare: fillInbox } as const;

/** The inbox in each of its states. */
export const inboxShots: readonly Shot[] = [
  { ...ada, name: 'inbox', arrange: ({ page }) => rows(page) },
  { ...ada, name: 'inbox-window', isWindow: true, arrange: ({ page }) => rows(page) },
  {
    ...ada,
    name: 'inbox-german',
    language: 'de',
    async arrange({ page }) {
      await page.getByRole('heading', { name: 'Heute' }).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-row-hover',
    isWindow: true,
    async arrange({ page }) {
      await page.getByText('Analytical Engine').hover();
    },
  },
  {
    ...ada,
    name: 'inbox-row-focus',
    isWindow: true,
    async arrange({ page }) {
      await rows(page);
      await page.locator('main [data-row]').nth(2).focus();
      await page.keyboard.press('Tab');
    },
  },
  { ...ada, name: 'inbox-unread', path: '/home?tab=unread', arrange: ({ page }) => rows(page) },
  { ...ada, name: 'inbox-archived', path: '/home?tab=archived' },
  { ...ada, name: 'inbox-kind', path: '/home?kind=mention', arrange: ({ page }) => rows(page) },
  { ...ada, name: 'inbox-kind-empty', path: '/home?kind=edit&tab=archived' },
  { ...ada, name: 'inbox-empty', prepare: emptyInbox },
  {
    ...ada,
    name: 'inbox-long',
    isWindow: true,
    prepare: fillLongInbox,
    async arrange({ page }) {
      await rows(page);
      await page.getByRole('button', { name: 'Load more' }).scrollIntoViewIfNeeded();
    },
  },
  {
    ...ada,
    name: 'inbox-pill',
    isWindow: true,
    prepare: fillLongInbox,
    async arrange({ page, stage }) {
      await rows(page);
      await page.evaluate(() => scrollTo(0, 900));
      await page.waitForTimeout(800);
      await notifyAda(stage, 3);
      await page.getByText('3 new', { exact: false }).first().waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-loading',
    async prepare(stage) {
      await fillInbox(stage);
      stage.supabase.faults.add({ path: '/rest/v1/notifications', latencyMs: 6_000 });
    },
    async arrange({ page }) {
      await page.waitForTimeout(600);
    },
  },
  {
    ...ada,
    name: 'inbox-error',
    async prepare(stage) {
      stage.supabase.faults.add({ path: '/rest/v1/notifications', answer: { status: 500, body: {} } });
    },
    async arrange({ page }) {
      await page.getByText('Couldn’t load your notifications.').waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-offline',
    async arrange({ page }) {
      await rows(page);
      await page.context().setOffline(true);
      await page.getByText('You’re offline').first().waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-lost',
    async arrange({ page, stage }) {
      await rows(page);
      await page.waitForTimeout(800);
      await stage.supabase.faults.restart(20_000);
      await page.getByText('Live updates are interrupted').waitFor({ timeout: 30_000 });
    },
  },
  {
    ...ada,
    name: 'inbox-action-failed',
    isWindow: true,
    async arrange({ page, stage }) {
      await rows(page);
      stage.supabase.faults.add({ method: 'PATCH', path: '/rest/v1/', answer: { status: 403, body: {} } });
      await page.getByRole('button', { name: 'Mark all read' }).first().click();
      await page.getByText('Something went wrong').waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-undo',
    isWindow: true,
    async arrange({ page }) {
      await rows(page);
      await page.locator('main [data-row]').first().focus();
      await page.keyboard.press('Delete');
      await page.getByText('1 notification deleted.').waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-selection',
    isWindow: true,
    async arrange({ page }) {
      await rows(page);
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await page.getByRole('checkbox').nth(0).check();
      await page.getByRole('checkbox').nth(2).check();
    },
  },
  {
    ...ada,
    name: 'inbox-options',
    isWindow: true,
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Inbox options' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-bell',
    isWindow: true,
    async arrange({ page }) {
      await rows(page);
      const bell = page.getByRole('button', { name: /^Notifications/ });
      if (await bell.isVisible()) await bell.click();
    },
  },
  {
    ...ada,
    name: 'inbox-detail',
    isWindow: true,
    async arrange({ page }) {
      await page.getByRole('link', { name: /Analytical Engine/ }).click();
      await page
        .getByLabel(/Charles Babbage commented on Analytical/)
        .last()
        .waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-row-menu',
    isWindow: true,
    async arrange({ page }) {
      await rows(page);
      const more = page.getByRole('button', { name: /^More actions/ }).first();
      if (await more.isVisible()) await more.click();
    },
  },
  {
    ...ada,
    name: 'inbox-invite',
    isWindow: true,
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByLabel('Email address').fill('mary@example.com');
    },
  },
  {
    ...ada,
    name: 'inbox-invited',
    isWindow: true,
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByLabel('Email address').fill('mary@example.com');
      await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByLabel('Invitation link').waitFor();
    },
  },
  {
    ...ada,
    name: 'skip-link',
    isWindow: true,
    async arrange({ page }) {
      await rows(page);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.getByRole('link', { name: 'Skip to content' }).focus();
    },
  },
];

async function rows(page: Page): Promise<void> {
  await page.locator('main [data-row]').first().waitFor();
}

async function notifyAda({ supabase }: Stage, count: number): Promise<void> {
  await supabase.database.query(
    `insert into public.notifications (recipient_id, content)
     select id, '{"type":"mention","metadata":{"actor_name":"Grace Hopper"},"data":{"entity_name":"News"}}'
     from auth.users, generate_series(1, $1) where email = 'ada@example.com'`,
    [count],
  );
}

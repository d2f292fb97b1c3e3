import type { Page } from 'playwright-core';
import type { Stage } from '../../test/e2e/support/stage.ts';
import { emptyInbox, fillInbox, fillLongInbox } from './inbox-rows.ts';
import type { Shot } from './shot.ts';
import type { Words } from './words.ts';

const ada = { user: 'ada@example.com', path: '/home', prepare: fillInbox } as const;

export const inboxShots: readonly Shot[] = [
  { ...ada, name: 'inbox', arrange: ({ page }) => rows(page) },
  { ...ada, name: 'inbox-window', isWindow: true, arrange: ({ page }) => rows(page) },
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
  {
    ...ada,
    name: 'inbox-empty',
    prepare: emptyInbox,
    arrange: ({ page, say }) => page.getByText(say('No notifications yet.')).waitFor(),
  },
  {
    ...ada,
    name: 'inbox-long',
    isWindow: true,
    prepare: fillLongInbox,
    async arrange({ page, say }) {
      await rows(page);
      await page.getByRole('button', { name: say('Load more') }).scrollIntoViewIfNeeded();
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
      await page.getByRole('button', { name: /^↑/ }).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-loading',
    async prepare(stage, at) {
      await fillInbox(stage, at);
      stage.supabase.faults.add({ path: '/rest/v1/notifications', latencyMs: 6_000 });
    },
    async arrange({ page }) {
      await page.waitForTimeout(600);
    },
  },
  {
    ...ada,
    name: 'inbox-error',
    async prepare(stage, at) {
      // Changes of the last day are read by another request.
      await emptyInbox(stage, at);
      stage.supabase.faults.add({ path: '/rest/v1/notifications', response: { status: 500, body: {} } });
    },
    async arrange({ page, say }) {
      await page.getByText(say('Couldn’t load your notifications.')).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-offline',
    async arrange({ page }) {
      await rows(page);
      await page.context().setOffline(true);
      await page
        .getByText(/^(You’re|Du bist) offline\./)
        .first()
        .waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-lost',
    async arrange({ page, say, stage }) {
      await rows(page);
      // Realtime alone is lost: a read that fails shows another message.
      await page.routeWebSocket(/\/realtime\//, (socket) => void socket.close());
      stage.supabase.faults.dropSockets();
      await page.getByText(say('Live updates are interrupted. Reconnecting…')).waitFor({ timeout: 30_000 });
    },
  },
  {
    ...ada,
    name: 'inbox-action-failed',
    isWindow: true,
    async arrange({ page, say, stage }) {
      await rows(page);
      stage.supabase.faults.add({ method: 'PATCH', path: '/rest/v1/', response: { status: 403, body: {} } });
      await page
        .getByRole('button', { name: say('Mark all read') })
        .first()
        .click();
      // The request is sent when its undo has expired.
      await page.getByRole('button', { name: say('Dismiss') }).click();
      await page.getByText(/^(Something went wrong|Etwas ist schiefgelaufen)\./).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-undo',
    isWindow: true,
    async arrange({ page, say }) {
      await rows(page);
      // The keyboard shortcuts are loaded together with the search.
      await page.locator('input[type=search]').waitFor({ state: 'attached' });
      await page.locator('main [data-row]').first().focus();
      await page.keyboard.press('Delete');
      await page.getByRole('button', { name: say('Undo') }).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-selection',
    isWindow: true,
    async arrange({ page, say }) {
      await rows(page);
      await press(page, say, 'Select');
      await page.getByRole('checkbox').nth(0).check();
      await page.getByRole('checkbox').nth(2).check();
    },
  },
  {
    ...ada,
    name: 'inbox-options',
    isWindow: true,
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Inbox options') }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-bell',
    path: '/preferences',
    isWindow: true,
    async arrange({ page }) {
      await page.getByRole('heading', { level: 1 }).waitFor();
      const bell = page.locator('header button[aria-haspopup]').first();
      if (await bell.isVisible()) await bell.click();
    },
  },
  {
    ...ada,
    name: 'inbox-detail',
    isWindow: true,
    async arrange({ page, say }) {
      await page.getByRole('link', { name: /Analytical Engine/ }).click();
      await page
        .getByRole('button', { name: say('Mark as unread'), exact: true })
        .last()
        .waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-row-menu',
    isWindow: true,
    async arrange({ page, say }) {
      await rows(page);
      const more = page.getByRole('button', { name: new RegExp(`^${say('More actions')}`) }).first();
      if (await more.isVisible()) await more.click();
    },
  },
  {
    ...ada,
    name: 'inbox-mute',
    isWindow: true,
    async arrange({ page, say }) {
      await rows(page);
      const notes = page.locator('main [data-row]').filter({ hasText: 'Compiler notes' });
      // Open a thread, and its newest notification.
      await notes.first().click();
      await notes.nth(1).click();
      await page.getByRole('button', { name: say('More actions'), exact: true }).click();
      await page
        .getByRole('menuitem')
        .or(page.getByRole('dialog').getByRole('button'))
        .filter({ hasText: /^Mute |^Stummschalten: / })
        .click();
      await page.getByRole('button', { name: say('Until I unmute it') }).waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-invite',
    isWindow: true,
    async arrange({ page, say }) {
      await press(page, say, 'Invite');
      await page.getByLabel(say('Email address')).fill('mary@example.com');
    },
  },
  {
    ...ada,
    name: 'inbox-invited',
    isWindow: true,
    async prepare(stage, at) {
      await fillInbox(stage, at);
      // A repeated invitation of an address would show another message.
      await stage.supabase.database.query('delete from public.invitations');
    },
    async arrange({ page, say }) {
      await press(page, say, 'Invite');
      await page.getByLabel(say('Email address')).fill('mary@example.com');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: say('Create link') })
        .click();
      await page.getByLabel(say('Invitation link')).waitFor();
    },
  },
  {
    ...ada,
    name: 'skip-link',
    isWindow: true,
    async arrange({ page, say }) {
      await rows(page);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.getByRole('link', { name: say('Skip to content') }).focus();
    },
  },
];

/** Presses a button of the toolbar; phones have it in the options. */
async function press(page: Page, say: Words, name: string): Promise<void> {
  await page.getByRole('button', { name: say('Inbox options') }).waitFor();
  const button = page.getByRole('button', { name: say(name), exact: true });
  if (!(await button.isVisible())) await page.getByRole('button', { name: say('Inbox options') }).click();
  await button.click();
}

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

import type { Page } from 'playwright-core';
import type { Stage } from '../../test/e2e/support/stage.ts';
import { accountPassword } from '../local-project.ts';
import { emptyInbox, fillInbox } from './inbox-rows.ts';
import type { Shot, ShotContext } from './shot.ts';

const ada = { user: 'ada@example.com' } as const;

/** Screens that wait, have failed, or have completed something. */
export const stateShots: readonly Shot[] = [
  ...(['session-ended', 'draft-kept', 'sign-out-failed', 'local-sign-out-failed'] as const).map(
    (notice): Shot => ({
      name: `login-${notice}`,
      path: '/login',
      async arrange({ page }) {
        await page.evaluate((state) => history.replaceState(state, ''), notice);
        await page.reload();
        await page
          .getByRole('alert')
          .or(page.getByRole('status'))
          .filter({ hasText: /\w/ })
          .first()
          .waitFor();
        await page.getByRole('button', { name: /Google/ }).waitFor();
      },
    }),
  ),
  {
    name: 'login-recovery-code',
    path: '/login',
    async arrange(context) {
      const { page, say } = context;
      await openSecondStep(context);
      await page.getByRole('button', { name: say('Lost your authenticator?') }).click();
      await page.getByLabel(say('Recovery code')).fill('0000');
      await page.getByRole('button', { name: say('Use recovery code') }).click();
    },
  },
  {
    name: 'reset-password-limited',
    path: '/reset-password',
    async prepare({ supabase }) {
      supabase.faults.add({
        path: '/auth/v1/recover',
        response: {
          status: 429,
          body: { code: 'over_email_send_rate_limit', message: 'Email rate limit exceeded' },
          headers: { 'Retry-After': '42', 'Access-Control-Expose-Headers': 'Retry-After' },
        },
      });
    },
    async arrange({ page, say }) {
      await page.getByLabel(say('Email')).fill('ada@example.com');
      await page.getByRole('button', { name: say('Email me a code') }).click();
      await page.getByText(/\(\d+ s\)/).waitFor();
    },
  },
  {
    name: 'signup-common-password',
    path: '/signup',
    async arrange({ page, say }) {
      await page.getByLabel(say('Email')).fill('mary@example.com');
      await page.getByLabel(say('Password'), { exact: true }).fill('password1');
      await page.getByRole('button', { name: say('Create account') }).click();
    },
  },
  {
    name: 'mail-link',
    path: '/signup',
    async arrange(context) {
      const { page, say, newEmail, mail } = context;
      const email = newEmail();
      await page.getByLabel(say('Email')).fill(email);
      await page.getByLabel(say('Password'), { exact: true }).fill('a-long-enough-secret-7');
      await page.getByRole('button', { name: say('Create account') }).click();
      await page.goto((await mail(email)).link);
      await page.locator('main > form button[type=submit]').waitFor();
    },
  },
  {
    ...ada,
    name: 'inbox-caught-up',
    path: '/home?tab=unread',
    prepare: emptyInbox,
    arrange: ({ page, say }) => page.getByText(say('You’re all caught up.')).first().waitFor(),
  },
  {
    ...ada,
    name: 'inbox-bell-empty',
    path: '/preferences',
    isWindow: true,
    prepare: emptyInbox,
    async arrange({ page }) {
      const bell = page.locator('header button[aria-haspopup]').first();
      if (await bell.isVisible()) await bell.click();
    },
  },
  {
    ...ada,
    name: 'inbox-part-missing',
    path: '/home',
    prepare: fillInbox,
    async arrange({ page, say }) {
      await page.locator('main [data-row]').first().waitFor();
      await page.route('**/assets/preferences-*', (route) => route.abort());
      await page
        .getByRole('link', { name: say('Preferences') })
        .last()
        .click();
      await page.getByRole('button', { name: say('Try again') }).waitFor();
    },
  },
  {
    ...ada,
    name: 'preferences-quiet',
    path: '/preferences',
    prepare: blockAndMute,
    async arrange({ page, say }) {
      await page.getByRole('switch', { name: say('Pause alerts and emails at set times') }).click();
      await page.getByLabel(say('From'), { exact: true }).waitFor();
      await page.getByText('Compiler notes').waitFor();
    },
  },
  {
    ...ada,
    name: 'preferences-loading',
    path: '/preferences',
    async prepare({ supabase }) {
      supabase.faults.add({ path: '/rest/v1/notification_preferences', latencyMs: 8_000 });
    },
    arrange: ({ page }) => page.waitForTimeout(3_000),
  },
  {
    ...ada,
    name: 'join-list',
    path: '/join',
    prepare: (stage) => invite(stage, 'grace@example.com', 'ada@example.com'),
  },
  {
    ...ada,
    name: 'join-own',
    path: '/join',
    prepare: (stage) => invite(stage, 'ada@example.com', 'mary@example.com'),
    arrange: (context) => openInvitation(context, 'You sent this invitation'),
  },
  {
    ...ada,
    name: 'join-revoked',
    path: '/join',
    prepare: (stage) => invite(stage, 'grace@example.com', 'ada@example.com', 'revoked'),
    arrange: (context) => openInvitation(context, 'This invitation was withdrawn'),
  },
  {
    ...ada,
    name: 'join-declined',
    path: '/join',
    prepare: (stage) => invite(stage, 'grace@example.com', 'ada@example.com', 'declined'),
    arrange: (context) => openInvitation(context, 'Invitation declined'),
  },
  {
    ...ada,
    name: 'join-failed',
    path: '/join/some-token',
    async prepare({ supabase }) {
      supabase.faults.add({ path: '/rest/v1/rpc/', response: { status: 500, body: {} } });
    },
    arrange: ({ page, say }) => page.getByText(say('Couldn’t load the invitation')).waitFor(),
  },
  {
    name: 'unsubscribe-invalid',
    path: '/unsubscribe.html#token=unknown&kind=mention',
    arrange: ({ page }) => page.waitForTimeout(1_000),
  },
];

async function openSecondStep({ page, stage, say }: ShotContext): Promise<void> {
  const { database } = stage.supabase;
  const grace = `(select id from auth.users where email = 'grace@example.com')`;
  await database.query(`delete from auth.mfa_factors where user_id = ${grace}`);
  await database.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
     values (gen_random_uuid(), ${grace}, 'Phone', 'totp', 'verified', 'JBSWY3DPEHPK3PXP', now(), now())`,
  );
  await page.getByLabel(say('Email')).fill('grace@example.com');
  await page.getByLabel(say('Password'), { exact: true }).fill(accountPassword);
  await page.getByRole('button', { name: say('Sign in'), exact: true }).click();
  await page.getByRole('heading', { name: say('Enter your two‑step code') }).waitFor();
  await database.query(`delete from auth.mfa_factors where user_id = ${grace}`);
}

async function blockAndMute(stage: Stage, at: Date): Promise<void> {
  const { database } = stage.supabase;
  await database.query('delete from public.notification_preferences');
  await database.query('delete from public.blocked_senders');
  await database.query('delete from public.muted_threads');
  await fillInbox(stage, at);
  const id = (email: string) => `(select id from auth.users where email = '${email}')`;
  await database.query(
    `insert into public.blocked_senders (user_id, sender_id) values (${id('ada@example.com')}, ${id('grace@example.com')})`,
  );
  await database.query(
    `insert into public.muted_threads (user_id, entity_type, entity_id, entity_name)
     values (${id('ada@example.com')}, 'document', 'doc-1', 'Compiler notes')`,
  );
}

async function invite({ supabase }: Stage, from: string, to: string, status = 'pending'): Promise<void> {
  await supabase.database.query('delete from public.invitations');
  await supabase.database.query(
    `insert into public.invitations (inviter_id, invitee_email, entity_type, entity_id, entity_name, expires_at, status)
     select id, $2, 'document', 'doc-17', 'Compiler notes', '2099-01-01T12:00:00Z', $3 from auth.users where email = $1`,
    [from, to, status],
  );
}

async function openInvitation({ page, stage, say }: ShotContext, heading: string): Promise<void> {
  const [row] = await stage.supabase.database.query<{ token: string }>(
    'select token from public.invitations',
  );
  await page.goto(`${stage.appUrl}/join/${row?.token}`);
  await headingOf(page, say(heading)).waitFor();
}

const headingOf = (page: Page, name: string) => page.getByRole('heading', { name });

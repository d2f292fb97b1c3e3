import type { Stage } from '../../test/e2e/support/stage.ts';
import { fillInbox } from './inbox-rows.ts';
import type { Shot, ShotContext } from './shot.ts';

const preferences = { user: 'ada@example.com', path: '/preferences', prepare: resetPreferences } as const;

/** Preferences, invitations, and the second step of a sign-in. */
export const otherShots: readonly Shot[] = [
  {
    ...preferences,
    name: 'preferences',
    async arrange({ page, say }) {
      // The status of the mails loads last.
      await page.getByRole('button', { name: say('Send me a test email') }).waitFor();
    },
  },
  {
    ...preferences,
    name: 'preferences-off',
    async arrange({ page, say }) {
      await page.getByRole('switch', { name: say('Email notifications') }).click();
      await page.getByText(say('No digest is sent while email notifications are off.')).waitFor();
    },
  },
  {
    ...preferences,
    name: 'preferences-temporary',
    async prepare({ supabase }) {
      supabase.faults.add({ path: '/rest/v1/notification_preferences', response: { status: 403, body: {} } });
    },
    async arrange({ page, say }) {
      await page
        .getByText(
          say('Couldn’t load your preferences. These are the defaults; changes you make now aren’t saved.'),
        )
        .waitFor();
    },
  },
  { name: 'join', path: '/join' },
  { name: 'join-signed-out', path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com') },
  {
    name: 'join-open',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com'),
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Accept') }).waitFor();
    },
  },
  {
    name: 'join-accepted',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com'),
    async arrange({ page, say }) {
      await page.getByRole('button', { name: say('Accept') }).click();
      await page.getByRole('heading', { name: say('Invitation accepted') }).waitFor();
    },
  },
  {
    name: 'join-other-account',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'mary@example.com'),
    async arrange({ page, say }) {
      await page.getByRole('heading', { name: say('This invitation is for another account') }).waitFor();
    },
  },
  {
    name: 'join-expired',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com', '2020-01-01T12:00:00Z'),
    async arrange({ page, say }) {
      await page.getByRole('heading', { name: say('This invitation has expired') }).waitFor();
    },
  },
  {
    name: 'join-unknown',
    user: 'ada@example.com',
    path: '/join/not-a-token',
    async arrange({ page, say }) {
      await page.getByRole('heading', { name: say('We can’t find this invitation') }).waitFor();
    },
  },
  { name: 'login-mfa', path: '/login', arrange: signInWithFactors },
  {
    name: 'login-mfa-phone',
    path: '/login',
    async arrange(context) {
      const { page, say } = context;
      await signInWithFactors(context);
      await page.getByRole('combobox').selectOption({ label: 'Work phone' });
      await page.getByRole('button', { name: say('Text me a code') }).waitFor();
    },
  },
];

async function resetPreferences(stage: Stage, at: Date): Promise<void> {
  const { database } = stage.supabase;
  await database.query('delete from public.notification_preferences');
  // The screen lists both, and pictures of other states may have added some.
  await database.query('delete from public.blocked_senders');
  await database.query('delete from public.muted_threads');
  // The page shows when the unread notifications are emailed.
  await fillInbox(stage, at);
}

async function invite(
  { supabase }: Stage,
  from: string,
  to: string,
  expiresAt = '2099-01-01T12:00:00Z',
): Promise<string> {
  // An inviter has one open invitation per address and entity.
  await supabase.database.query('delete from public.invitations where invitee_email = $1', [to]);
  const [row] = await supabase.database.query<{ token: string }>(
    `insert into public.invitations (inviter_id, invitee_email, entity_type, entity_id, entity_name, expires_at)
     select id, $2, 'document', 'doc-17', 'Compiler notes', $3 from auth.users where email = $1
     returning token`,
    [from, to, expiresAt],
  );
  return `/join/${row?.token}`;
}

async function signInWithFactors({ page, stage, say }: ShotContext) {
  const { database } = stage.supabase;
  const grace = `(select id from auth.users where email = 'grace@example.com')`;
  await database.query(`delete from auth.mfa_factors where user_id = ${grace}`);
  await database.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, phone, secret, created_at, updated_at)
     values (gen_random_uuid(), ${grace}, 'Authenticator app', 'totp', 'verified', null, 'JBSWY3DPEHPK3PXP', now(), now()),
            (gen_random_uuid(), ${grace}, 'Work phone', 'phone', 'verified', '4915112345678', null, now(), now())`,
  );
  await page.getByLabel(say('Email')).fill('grace@example.com');
  await page.getByLabel(say('Password'), { exact: true }).fill('inbox-development');
  await page.getByRole('button', { name: say('Sign in'), exact: true }).click();
  await page.getByRole('heading', { name: say('Enter your two‑step code') }).waitFor();
  await database.query(`delete from auth.mfa_factors where user_id = ${grace}`);
}

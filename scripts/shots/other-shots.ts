import type { Stage } from '../../test/e2e/support/stage.ts';
import type { Shot } from './shot.ts';

const preferences = { user: 'ada@example.com', path: '/preferences', prepare: resetPreferences } as const;

/** Preferences, invitations, and the second step of a sign-in. */
export const otherShots: readonly Shot[] = [
  {
    ...preferences,
    name: 'preferences',
    async arrange({ page }) {
      await page.getByRole('switch').first().waitFor();
    },
  },
  {
    ...preferences,
    name: 'preferences-german',
    language: 'de',
    async arrange({ page }) {
      await page.getByRole('switch').first().waitFor();
    },
  },
  {
    ...preferences,
    name: 'preferences-off',
    async arrange({ page }) {
      await page.getByRole('switch', { name: 'Email notifications' }).click();
      await page.getByText('No digest is sent').waitFor();
    },
  },
  {
    ...preferences,
    name: 'preferences-temporary',
    async prepare({ supabase }) {
      supabase.faults.add({ path: '/rest/v1/notification_preferences', answer: { status: 403, body: {} } });
    },
    async arrange({ page }) {
      await page.getByText('Couldn’t load your preferences.').waitFor();
    },
  },
  { name: 'join', path: '/join' },
  { name: 'join-german', path: '/join', language: 'de' },
  { name: 'join-signed-out', path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com') },
  {
    name: 'join-open',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com'),
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Accept' }).waitFor();
    },
  },
  {
    name: 'join-accepted',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com'),
    async arrange({ page }) {
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('heading', { name: 'Invitation accepted' }).waitFor();
    },
  },
  {
    name: 'join-other-account',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'mary@example.com'),
    async arrange({ page }) {
      await page.getByRole('heading', { name: 'This invitation is for another account' }).waitFor();
    },
  },
  {
    name: 'join-expired',
    user: 'ada@example.com',
    path: (stage) => invite(stage, 'grace@example.com', 'ada@example.com', '-1 day'),
    async arrange({ page }) {
      await page.getByRole('heading', { name: 'This invitation has expired' }).waitFor();
    },
  },
  {
    name: 'join-unknown',
    user: 'ada@example.com',
    path: '/join/not-a-token',
    async arrange({ page }) {
      await page.getByRole('heading', { name: 'We can’t find this invitation' }).waitFor();
    },
  },
  { name: 'login-mfa', path: '/login', arrange: (context) => signInWithFactors(context.page, context.stage) },
  {
    name: 'login-mfa-phone',
    path: '/login',
    async arrange({ page, stage }) {
      await signInWithFactors(page, stage);
      await page.getByRole('combobox').selectOption({ label: 'Work phone' });
      await page.getByRole('button', { name: 'Text me a code' }).waitFor();
    },
  },
  { name: 'account-german', user: 'ada@example.com', path: '/account', language: 'de' },
  { name: 'signup-german', path: '/signup', language: 'de' },
  { name: 'clear-cookies-german', path: '/clear-cookies', language: 'de' },
];

async function resetPreferences({ supabase }: Stage): Promise<void> {
  await supabase.database.query('delete from public.notification_preferences');
}

async function invite({ supabase }: Stage, from: string, to: string, life = '7 days'): Promise<string> {
  const [row] = await supabase.database.query<{ token: string }>(
    `insert into public.invitations (inviter_id, invitee_email, entity_type, entity_id, entity_name, expires_at)
     select id, $2, 'document', 'doc-17', 'Compiler notes', now() + $3::interval from auth.users where email = $1
     returning token`,
    [from, to, life],
  );
  return `/join/${row?.token}`;
}

async function signInWithFactors(
  page: Parameters<NonNullable<Shot['arrange']>>[0]['page'],
  { supabase }: Stage,
) {
  const { database } = supabase;
  const grace = `(select id from auth.users where email = 'grace@example.com')`;
  await database.query(`delete from auth.mfa_factors where user_id = ${grace}`);
  await database.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, phone, secret, created_at, updated_at)
     values (gen_random_uuid(), ${grace}, 'Authenticator app', 'totp', 'verified', null, 'JBSWY3DPEHPK3PXP', now(), now()),
            (gen_random_uuid(), ${grace}, 'Work phone', 'phone', 'verified', '4915112345678', null, now(), now())`,
  );
  await page.getByLabel('Email').fill('grace@example.com');
  await page.getByLabel('Password', { exact: true }).fill('inbox-development');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await database.query(`delete from auth.mfa_factors where user_id = ${grace}`);
}

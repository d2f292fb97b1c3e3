import { expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, createUser, grace, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

/** Where the download has the rows of a table that belongs to users, if not under the table's name. */
const keys: Readonly<Record<string, string>> = {
  notification_preferences: 'preferences',
  notification_mails: 'emails',
  invitations: 'sent_invitations',
  notification_reports: 'reports',
};
/** Tables that the download leaves out, and why. */
const leftOut: Readonly<Record<string, string>> = {
  notification_counters: 'numbers of rows that the download contains',
  notification_tombstones: 'ids of deleted notifications, for a day',
  notification_bulk_changes: 'tells clients to read again',
  send_usage: 'counts of the current minute and day',
  recovery_attempts: 'failures of the current hour',
  outgoing_notifications: 'rows of sent_notifications and sent_invitations, until their delivery',
  credentials_set: 'times of rows of identities and factors, which the download contains',
  messages: 'what a backend sends in a name, until its delivery',
  webhook_items:
    'ids of notifications, which the download contains, on their way to the endpoints of a backend',
};

const download = async (args = '', userId = ada.id): Promise<Record<string, unknown>> => {
  const claims = { amr: [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) }] };
  const [row] = await runAs(supabase().database, { role: 'authenticated', userId, claims }, (sql) =>
    sql.query<{ data: Record<string, unknown> }>(`select export_account_data(${args}) as data`),
  );
  return row?.data ?? {};
};

it('the download of all data has each table that belongs to users', async () => {
  const tables = await supabase().database.query<{ name: string }>(
    `select distinct t.relname as name from pg_constraint c
     join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
     where c.contype = 'f' and c.confrelid = 'auth.users'::regclass and n.nspname in ('public', 'private')`,
  );
  const expected = tables.map(({ name }) => keys[name] ?? name).filter((name) => !(name in leftOut));
  expect(expected.length).toBeGreaterThan(8);
  expect(Object.keys(await download())).toEqual(expect.arrayContaining(expected));
});

it('the download of all data leaves notifications out for those who read them in pages', async () => {
  await supabase().database.query(`insert into notifications (recipient_id) values ($1)`, [ada.id]);
  const whole = await download();
  expect(whole['notifications']).not.toEqual([]);
  const without = await download('without_notifications => true');
  expect(without['notifications']).toEqual([]);
  expect(Object.keys(without)).toEqual(Object.keys(whole));
});

it('the download of all data has the history of emails and a suppressed address', async () => {
  const [row] = await supabase().database.query<{ id: string }>(
    `insert into notifications (recipient_id, content) values ($1, '{"type":"mention"}') returning id`,
    [ada.id],
  );
  await supabase().database.query(`select public.suppress_mail_address($1, 'bounce', 'No such mailbox')`, [
    ada.email,
  ]);
  expect(await download()).toMatchObject({
    emails: [{ topic: 'digest', state: 'pending', notification_ids: expect.arrayContaining([row?.id]) }],
    suppressed_addresses: [{ address: ada.email, reason: 'bounce', detail: 'No such mailbox' }],
  });
});

it('the download of all data has the names and times of passkeys, not their keys', async () => {
  await supabase().database.query(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key, friendly_name)
     values ($1, '\\x01', '\\x02', 'Work laptop')`,
    [ada.id],
  );
  expect((await download())['passkeys']).toEqual([
    { friendly_name: 'Work laptop', created_at: expect.any(String), last_used_at: null },
  ]);
});

it('the download of all data of a new account has an empty list for each table without its rows', async () => {
  const userId = crypto.randomUUID();
  await supabase().database.query(`insert into auth.users (id, email) values ($1, 'new@example.com')`, [
    userId,
  ]);
  const whole = await download('', userId);
  const others = new Set(['exported_at', 'account', 'preferences']);
  const lists = Object.entries(whole).filter(([name]) => !others.has(name));
  expect(lists.length).toBeGreaterThan(15);
  expect(lists).toEqual(lists.map(([name]) => [name, []]));
});

/** Statements beside what a sign-in and a passkey cause. Each inserts a row in each table of the download; $1 is its owner, $2 another account, $3 a text of this row alone. */
const rows: readonly string[] = [
  `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
   values (gen_random_uuid(), $1, $3, 'totp', 'unverified', now(), now())`,
  `insert into auth.webauthn_credentials (user_id, credential_id, public_key, friendly_name) values ($1, uuid_send($3), '\\x02', $3)`,
  'insert into notifications (recipient_id, content) values ($1, $3)',
  'insert into private.mail_only_notifications (id, recipient_id, sender_id, kind, created_at) values (gen_random_uuid(), $1, $2, $3, now())',
  'insert into private.sent_notifications (sender_id, recipient_id, content, created_at) values ($1, $2, $3, now())',
  `insert into invitations (inviter_id, invitee_email) values ($1, $3 || '@example.com')`,
  'insert into blocked_senders (user_id, sender_id) values ($1, $2)',
  `insert into muted_threads (user_id, entity_type, entity_id) values ($1, 'document', $3)`,
  `insert into notification_reports (reporter_id, notification_id, reason, comment) values ($1, gen_random_uuid(), 'spam', $3)`,
  'insert into private.recovery_codes (user_id, code_hash) values ($1, $3)',
  `insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
   values ($1, gen_random_uuid(), 'https://push.example.com/' || $3, repeat('a', 87), repeat('a', 22))`,
  'with named as (insert into audiences (name) values ($3) returning name) insert into audience_members (audience, user_id) select name, $1 from named',
  `with sent as (insert into private.messages (send_at, content) values (now(), $3) returning id)
   insert into private.message_deliveries (message_id, recipient_id, notification_id, created_at) select id, $1, gen_random_uuid(), now() from sent`,
  'insert into private.accepted_invitations (invitation_id, inviter_id, invitee_id) values (gen_random_uuid(), $1, $2)',
  'insert into private.accepted_invitations (invitation_id, inviter_id, invitee_id) values (gen_random_uuid(), $2, $1)',
];

it('the download of all data has the rows of its owner alone', async () => {
  const owner = await createUser(supabase(), 'owner@example.com');
  for (const { email } of [ada, grace]) await signIn(supabase(), email);
  const pairs = [
    [owner.id, ada.id],
    [ada.id, grace.id],
    [grace.id, ada.id],
  ] as const;
  for (const [owns, other] of pairs)
    for (const insert of rows)
      await supabase().database.exec(
        insert
          .replaceAll('$1', `'${owns}'`)
          .replaceAll('$2', `'${other}'`)
          .replaceAll('$3', `'${crypto.randomUUID()}'`),
      );
  const lists = Object.entries(await download('', owner.id)).filter(([, part]) => Array.isArray(part));
  expect(Object.fromEntries(lists.map(([name, list]) => [name, (list as unknown[]).length]))).toEqual({
    ...Object.fromEntries(lists.map(([name]) => [name, 1])),
    accepted_invitations: 2,
    // The browser and the network of the session.
    known_devices: 2,
    suppressed_addresses: 0,
  });
});

import { expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';

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

const download = async (args = ''): Promise<Record<string, unknown>> => {
  const claims = { amr: [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) }] };
  const [row] = await runAs(supabase().database, { role: 'authenticated', userId: ada.id, claims }, (sql) =>
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

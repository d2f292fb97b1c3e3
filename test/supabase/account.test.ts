import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import type { Caller } from '../support/database-roles.ts';
import { ada, createUser, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

const amr = (ageSeconds: number, method = 'password') => ({
  amr: [{ method, timestamp: Math.floor(Date.now() / 1000) - ageSeconds }],
});
let leaving: Caller & { userId: string };

const run = <Row = Record<string, unknown>>(caller: Caller, statement: string) =>
  runAs(supabase().database, caller, (sql) => sql.query<Row>(statement));

beforeEach(async () => {
  const userId = crypto.randomUUID();
  leaving = { role: 'authenticated', userId, claims: amr(0) };
  await supabase().database.exec(`
    delete from auth.users where email = 'leaving@example.com';
    insert into auth.users (id, instance_id, email, email_confirmed_at, raw_user_meta_data)
      values ('${userId}', '00000000-0000-0000-0000-000000000000', 'leaving@example.com', now(), '{"name":"Leaving"}');
    insert into auth.sessions (id, user_id, user_agent) values (gen_random_uuid(), '${userId}', 'Browser');
    insert into notification_preferences (user_id) values ('${userId}');
    insert into muted_threads (user_id, entity_type, entity_id) values ('${userId}', 'document', '1');
    insert into blocked_senders (user_id, sender_id) values ('${userId}', '${ada.id}');
    insert into notifications (recipient_id, content) select '${userId}', '{"type":"edit"}' from generate_series(1, 200);
    insert into invitations (inviter_id, invitee_email) values ('${ada.id}', 'Leaving@example.com') on conflict do nothing;
  `);
  await run(
    leaving,
    `insert into notifications (recipient_id, content) values ('${grace.id}', '{"type":"comment"}')`,
  );
  await run(leaving, `select create_invitation('friend@example.com')`);
});

it.each([
  ['old', amr(601)],
  ['missing', {}],
  ['no list', { amr: 'password' }],
  ['a refresh', amr(0, 'token_refresh')],
])('deleting the account needs a fresh proof: %s', async (_, claims) => {
  await expect(run({ ...leaving, claims }, 'select delete_account()')).rejects.toMatchObject({
    code: 'PT403',
    message: 'reauthentication_needed',
  });
});

it('deleting the account removes every row that refers to the user, in every schema', async () => {
  const { database } = supabase();
  await run(leaving, 'select delete_account()');
  const columns = await database.query<{ schema: string; table: string; column: string }>(
    `select n.nspname as schema, c.relname as table, a.attname as column
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
         and n.nspname in ('public', 'private', 'auth', 'storage')
         and a.atttypid in ('uuid'::regtype, 'text'::regtype, 'varchar'::regtype)`,
  );
  expect(columns.length).toBeGreaterThan(50);
  for (const { schema, table, column } of columns) {
    const rows = await database.query(
      `select 1 from "${schema}"."${table}" where "${column}"::text in ($1, 'leaving@example.com')`,
      [leaving.userId],
    );
    expect({ schema, table, column, rows }).toEqual({ schema, table, column, rows: [] });
  }
  const [left] = await database.query<{ content: string }>(
    `select content from notifications where recipient_id = $1 and kind = 'comment' order by created_at desc limit 1`,
    [grace.id],
  );
  expect(left?.content).not.toContain('Leaving');
});

it('deleting the account refuses while storage has files of the user', async () => {
  const { database } = supabase();
  await database.query(`insert into storage.buckets (id, name) values ('b', 'b') on conflict do nothing`);
  await database.query(`insert into storage.objects (bucket_id, name, owner_id) values ('b', 'x', $1)`, [
    leaving.userId,
  ]);
  await expect(run(leaving, 'select delete_account()')).rejects.toMatchObject({
    code: 'PT409',
    message: 'account_has_files',
  });
  await database.exec('delete from storage.objects');
});

it('deleting the account ends every session at once: its access tokens can neither read nor send', async () => {
  const user = await createUser(supabase(), 'goes@example.com');
  const elsewhere = await signIn(supabase(), 'goes@example.com');
  const remove = await requestApi(supabase(), '/rest/v1/rpc/delete_account', {
    method: 'POST',
    token: user.token,
    body: {},
  });
  expect(remove.status).toBe(204);
  const send = await requestApi(supabase(), '/rest/v1/notifications', {
    method: 'POST',
    token: elsewhere,
    body: { recipient_id: grace.id, content: '{"type":"mention"}' },
  });
  expect([send.status, await send.json()]).toMatchObject([401, { message: 'account_not_found' }]);
  const me = await requestApi(supabase(), '/auth/v1/user', { token: elsewhere });
  expect(me.status).toBe(403);
});

it('the download of all data contains every part of the account, and no secret', async () => {
  const [row] = await run<{ data: Record<string, unknown> }>(leaving, 'select export_account_data() as data');
  expect(row?.data).toMatchObject({
    account: { email: 'leaving@example.com', profile: { name: 'Leaving' } },
    sessions: [{ user_agent: 'Browser' }],
    preferences: { user_id: leaving.userId },
    sent_notifications: [{ recipient_id: grace.id }],
    sent_invitations: [{ invitee_email: 'friend@example.com' }],
    blocked_senders: [{ sender_id: ada.id }],
    muted_threads: [{ entity_id: '1' }],
  });
  expect(row?.data['notifications']).toHaveLength(200);
  expect(JSON.stringify(row?.data)).not.toMatch(/password|token|secret/);
});

it('the sessions are listed for their user, and each can be ended', async () => {
  const user = await createUser(supabase(), `sessions-${crypto.randomUUID()}@example.com`);
  await signIn(supabase(), user.email);
  const call = async (name: string, body: unknown, token = user.token) =>
    (await requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body })).json();
  const sessions = (await call('list_sessions', {})) as { id: string; is_current: boolean }[];
  expect(new Set(sessions.map(({ is_current: isCurrent }) => isCurrent))).toEqual(new Set([false, true]));
  expect(sessions).toHaveLength(2);
  const other = sessions.find(({ is_current: isCurrent }) => !isCurrent);
  expect(await call('end_session', { session_id: other?.id }, await signIn(supabase(), ada.email))).toBe(
    false,
  );
  expect(await call('end_session', { session_id: other?.id })).toBe(true);
  expect(await call('list_sessions', {})).toHaveLength(1);
});

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
  ['an anonymous sign-in', amr(0, 'anonymous')],
  ['a recovery code', amr(0, 'mfa/recovery_code')],
  ['a list of texts', { amr: ['password'] }],
  ['a time that is a text', { amr: [{ method: 'password', timestamp: '9999999999' }] }],
])('deleting the account needs a fresh proof: %s', async (_, claims) => {
  await expect(run({ ...leaving, claims }, 'select delete_account()')).rejects.toMatchObject({
    code: 'PT403',
    message: 'reauthentication_needed',
  });
});

it('a proof is fresh for ten minutes, beside those that are none', async () => {
  const claims = { amr: [...amr(0, 'token_refresh').amr, ...amr(590).amr] };
  await run({ ...leaving, claims }, 'select delete_account()');
  expect(await supabase().database.query('select from auth.users where id = $1', [leaving.userId])).toEqual(
    [],
  );
});

/** Where an account's id may stay after its deletion: see `docs/inbox/operations.md`. */
const keptFor: Readonly<Record<string, string>> = {
  'private.sent_notifications': 'the ids that other users sent to, for 90 days',
  'realtime.messages': 'broadcasts to the account, in partitions of a day, for three days',
  'auth.audit_log_entries': 'the log of the auth service',
};

/** The tables that have one of the texts anywhere: in an array, in JSON, or inside a longer text. */
async function tablesWith(texts: readonly string[]): Promise<readonly string[]> {
  const { database } = supabase();
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)'`,
  );
  expect(tables.length).toBeGreaterThan(60);
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await database.query(
        `select from ${name} t where exists (select from unnest($1::text[]) x where strpos(lower(t::text), lower(x)) > 0) limit 1`,
        [texts],
      );
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat().toSorted();
}

/** Creates rows of others about the account, and pending work for it. */
async function involve(userId: string): Promise<void> {
  const { database } = supabase();
  const message = (fields: object) =>
    database.query('select send_notifications(jsonb_build_array($1::jsonb))', [JSON.stringify(fields)]);
  const later = new Date(Date.now() + 86_400_000).toISOString();
  await message({ recipients: [userId, grace.id], text: 'later', send_at: later });
  await message({ recipients: [grace.id], text: 'by name', sender: { user_id: userId }, send_at: later });
  await message({ recipients: [grace.id], kind: 'mention', text: 'by name', sender: { user_id: userId } });
  await database.query(
    `insert into private.message_ranges (message_id, lane, due_at, only_id) select id, 1, 'infinity', $1 from private.messages limit 1`,
    [userId],
  );
  await database.query(
    `insert into private.message_ranges (message_id, lane, due_at, after_id, last_id)
     select m.id, 1, 'infinity', e.after_id, e.last_id
     from (select id from private.messages limit 1) m, (values ($1::uuid, null::uuid), (null, $1)) e (after_id, last_id)`,
    [userId],
  );
  await database.query(
    `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at, due_at) values ($2, $1, '{}', now(), 'infinity')`,
    [userId, ada.id],
  );
  await run(
    { role: 'authenticated', userId: ada.id },
    `insert into notifications (recipient_id, content) values ('${userId}', '{"type":"comment"}')`,
  );
  await database.exec(
    `select suppress_mail_address('leaving@example.com', 'bounce', '550 5.1.1 leaving@example.com: no such user')`,
  );
  await expect
    .poll(() =>
      database.query(`select id from notifications where sender_id = $1 and kind = 'mention'`, [userId]),
    )
    .toHaveLength(1);
  const [reported] = await database.query<{ id: string }>(
    `select id from notifications where sender_id = $1 and kind = 'mention'`,
    [userId],
  );
  await run(
    { role: 'authenticated', userId: grace.id },
    `select report_notification('${reported?.id}', 'spam')`,
  );
}

it.each([
  ['by its owner', () => run(leaving, 'select delete_account()')],
  [
    'by an operator',
    () => supabase().database.query('delete from auth.users where id = $1', [leaving.userId]),
  ],
])('an account that was deleted %s is not named in any schema', async (_, remove) => {
  const { database } = supabase();
  await involve(leaving.userId);
  const before = await tablesWith([leaving.userId, 'leaving@example.com', '"Leaving"']);
  expect(before).toEqual(
    expect.arrayContaining([
      'private.message_recipients',
      'private.messages',
      'private.send_usage',
      'public.notification_reports',
    ]),
  );
  await remove();
  const left = await tablesWith([leaving.userId, 'leaving@example.com', '"Leaving"']);
  expect(left.filter((name) => !(name.replace(/(_\d+)+$/, '') in keptFor))).toEqual([]);
  // The address stays suppressed for its next owner.
  expect(
    await database.query(
      `select detail from private.suppressed_addresses where address_hash = private.address_hash('Leaving@example.com')`,
    ),
  ).toEqual([{ detail: '550 5.1.1 … no such user' }]);
  await database.query(`select private.deliver_ranges(false, 100, now() + interval '2 days', null)`);
  const sent = await database.query<{ content: string }>(
    `select content from notifications where recipient_id = $1 and content like '%by name%'`,
    [grace.id],
  );
  expect(sent.map(({ content }) => content)).toEqual([
    expect.stringContaining('by name'),
    expect.stringContaining('by name'),
  ]);
  await database.exec(
    `delete from private.suppressed_addresses; delete from private.messages; delete from private.outgoing_notifications;
     delete from notifications where content like '%by name%'`,
  );
});

it('an account at the end of a range of recipients can be deleted, and the others receive the message once', async () => {
  const { database } = supabase();
  // Between Grace and Ada, in the order of the ids.
  const between = `a0${crypto.randomUUID().slice(2)}`;
  await database.query(
    `insert into auth.users (id, instance_id, email) values ($1, '00000000-0000-0000-0000-000000000000', 'between@example.com')`,
    [between],
  );
  await database.query(
    `select send_notifications(jsonb_build_array(jsonb_build_object(
       'recipients', $1::jsonb, 'text', 'In two parts', 'send_at', to_jsonb(now() + interval '1 day'))))`,
    [JSON.stringify([grace.id, between, ada.id])],
  );
  await database.query(
    `with whole as (delete from private.message_ranges returning message_id, due_at)
     insert into private.message_ranges (message_id, lane, due_at, after_id, last_id)
     select w.message_id, 1, w.due_at, e.after_id, e.last_id
     from whole w, (values (null::uuid, $1::uuid), ($1, null)) e (after_id, last_id)`,
    [between],
  );
  await database.query('delete from auth.users where id = $1', [between]);
  expect(await tablesWith([between])).toEqual([]);
  await database.query(`select private.deliver_ranges(false, 100, now() + interval '2 days', null)`);
  expect(
    await database.query(
      `select recipient_id from notifications where content like '%In two parts%' order by 1`,
    ),
  ).toEqual([{ recipient_id: grace.id }, { recipient_id: ada.id }]);
  expect(await database.query('select state, delivered_count, failed_count from private.messages')).toEqual([
    { state: 'delivered', delivered_count: 2, failed_count: 0 },
  ]);
  await database.exec(
    `delete from private.messages; delete from notifications where content like '%In two parts%'`,
  );
});

it('deleting the account is refused while storage has files of the user', async () => {
  const { database } = supabase();
  await database.query(`insert into storage.buckets (id, name) values ('b', 'b') on conflict do nothing`);
  await database.query(`insert into storage.objects (bucket_id, name, owner_id) values ('b', 'x', $1)`, [
    leaving.userId,
  ]);
  await expect(run(leaving, 'select delete_account()')).rejects.toMatchObject({
    code: 'PT409',
    message: 'account_has_files',
  });
  await database.exec(
    `select set_config('storage.allow_delete_query', 'true', true); delete from storage.objects`,
  );
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

it('an account is deleted in a project without storage', async () => {
  const { database } = supabase();
  await database.exec('alter table storage.objects rename to hidden_objects');
  try {
    await run(leaving, 'select delete_account()');
  } finally {
    await database.exec('alter table storage.hidden_objects rename to objects');
  }
  expect(await database.query('select id from auth.users where id = $1', [leaving.userId])).toEqual([]);
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

it('a session is listed with its device, the latest used first, and its end is broadcast to its user', async () => {
  const { database } = supabase();
  const ids = [1, 2, 3].map(() => crypto.randomUUID());
  await database.query('delete from auth.sessions where user_id = $1', [leaving.userId]);
  await database.query(
    `insert into auth.sessions (id, user_id, created_at, refreshed_at, user_agent, ip, aal)
     select id, $2, '2026-01-01T00:00:00Z', refreshed_at, 'Browser ' || place, '192.0.2.7', 'aal2'
     from unnest($1::uuid[], array[null, '2026-01-03T00:00:00', '2026-01-02T00:00:00']::timestamp[]) with ordinality given (id, refreshed_at, place)`,
    [ids, leaving.userId],
  );
  const caller = { ...leaving, claims: { session_id: ids[2] } };
  const session = (place: number, day: number) => ({
    id: ids[place - 1],
    created_at: new Date('2026-01-01T00:00:00Z'),
    last_active_at: new Date(`2026-01-0${day}T00:00:00Z`),
    user_agent: `Browser ${place}`,
    ip: '192.0.2.7',
    aal: 'aal2',
    is_current: place === 3,
  });
  expect(await run(caller, 'select * from list_sessions()')).toEqual([
    session(2, 3),
    session(3, 2),
    session(1, 1),
  ]);
  const broadcasts = async () => {
    const sent = await database.query(
      `select from realtime.messages where topic = $1 and event = 'sessions_ended'`,
      [`user:${leaving.userId}`],
    );
    return sent.length;
  };
  expect(await run(caller, 'select end_session(gen_random_uuid()) as is_ended')).toEqual([
    { is_ended: false },
  ]);
  expect(await broadcasts()).toBe(0);
  expect(await run(caller, `select end_session('${ids[0]}') as is_ended`)).toEqual([{ is_ended: true }]);
  expect(await broadcasts()).toBe(1);
  expect(await run(caller, 'select end_other_sessions() as count')).toEqual([{ count: 1 }]);
  expect(await broadcasts()).toBe(2);
  expect(await run(caller, 'select id from list_sessions()')).toEqual([{ id: ids[2] }]);
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

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import type { Caller } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const withPassword: Caller = { role: 'authenticated', userId: grace.id, claims: { aal: 'aal1' } };
const withFactor: Caller = { role: 'authenticated', userId: grace.id, claims: { aal: 'aal2' } };

const query = <Row = Record<string, unknown>>(caller: Caller, statement: string) =>
  runAs(supabase().database, caller, (sql) => sql.query<Row>(statement));

/** Runs a statement and rolls it back. */
async function attempt(caller: Caller, statement: string): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = [];
  const undo = new Error('undo');
  await runAs(supabase().database, caller, async (sql) => {
    rows = await sql.query(statement);
    throw undo;
  }).catch((problem: unknown) => {
    if (problem !== undo) throw problem;
  });
  return rows;
}

const tables = async () =>
  supabase().database.query<{ name: string; oid: number }>(
    `select relname as name, oid::int8 as oid from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  );

beforeEach(() =>
  supabase().database.exec(`
    insert into notification_preferences (user_id) values ('${grace.id}');
    insert into blocked_senders (user_id, sender_id) values ('${grace.id}', '${ada.id}');
    insert into muted_threads (user_id, entity_type, entity_id) values ('${grace.id}', 'document', 'muted');
    insert into notification_bulk_changes (user_id) values ('${grace.id}');
    insert into notification_reports (reporter_id, notification_id, reason)
      select '${grace.id}', id, 'spam' from notifications where recipient_id = '${grace.id}' limit 1;
    insert into storage.buckets (id, name) values ('mine', 'mine');
    insert into storage.objects (bucket_id, name, owner_id) values ('mine', 'note', '${grace.id}');
    create policy "Everything" on storage.objects to authenticated using (true) with check (true);
    create policy "Everything" on storage.buckets to authenticated using (true) with check (true);
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      values (gen_random_uuid(), '${grace.id}', 'totp', 'verified', now(), now());
  `),
);
afterEach(() =>
  supabase().database.exec(`
    delete from notification_preferences; delete from blocked_senders; delete from muted_threads;
    delete from notification_bulk_changes; delete from notification_reports; delete from auth.mfa_factors;
    drop policy "Everything" on storage.objects; drop policy "Everything" on storage.buckets;
    select set_config('storage.allow_delete_query', 'true', true);
    delete from storage.objects; delete from storage.buckets;
  `),
);

it.each([
  ['notifications'],
  ['notification_preferences'],
  ['notification_counters'],
  ['notification_bulk_changes'],
  ['notification_reports'],
  ['blocked_senders'],
  ['muted_threads'],
  ['storage.objects'],
  ['storage.buckets'],
  ['recent_senders_and_threads()'],
])('an account with a verified second factor reads %s with aal2 only', async (table) => {
  expect(await query(withPassword, `select * from ${table}`)).toEqual([]);
  expect(await query({ ...withPassword, claims: {} }, `select * from ${table}`)).toEqual([]);
  expect((await query(withFactor, `select * from ${table}`)).length).toBeGreaterThan(0);
});

it.each([
  [`update notifications set status = 'read' returning id`],
  ['delete from notifications returning id'],
  ['update notification_preferences set email_edits = true returning id'],
  ['delete from notification_preferences returning id'],
  ['delete from blocked_senders returning sender_id'],
  ['delete from muted_threads returning entity_id'],
  [`update storage.objects set name = 'changed' returning id`],
])('an account with a verified second factor changes nothing with aal1: %s', async (statement) => {
  expect(await attempt(withPassword, statement)).toEqual([]);
  expect((await attempt(withFactor, statement)).length).toBeGreaterThan(0);
});

it.each([
  [`insert into notifications (recipient_id, content) values ('${ada.id}', '{"type":"mention"}')`],
  [`select create_invitation('new@example.com')`],
  [`select get_invitation('token')`],
  [`select list_invitations()`],
  [`select accept_invitation('token')`],
  [`select decline_invitation('token')`],
  [`select withdraw_invitation('token')`],
  [`select notification_changes(now())`],
  [`select mark_all_notifications_read()`],
  [`select delete_notifications('all')`],
  [`select archive_notifications('all')`],
  [`select search_notifications('notes')`],
  [`select sender_names(array['${ada.id}'::uuid])`],
  [`select report_notification(gen_random_uuid(), 'spam')`],
  [`select export_account_data()`],
  [`select delete_account()`],
  [`select list_sessions()`],
  [`select end_session(gen_random_uuid())`],
  [`select end_other_sessions()`],
  [`select create_recovery_codes()`],
  [`select recovery_code_status()`],
  [`select rename_factor(gen_random_uuid(), 'Phone')`],
])('an account with a verified second factor is refused with aal1: %s', async (statement) => {
  await expect(attempt(withPassword, statement)).rejects.toMatchObject({
    code: 'PT403',
    message: 'insufficient_aal',
  });
});

it('an account with a verified second factor has no counts with aal1', async () => {
  expect(await query(withPassword, 'select * from notification_counts()')).toEqual([
    { inbox: 0, unread: 0, archived: 0, snoozed: 0, unread_by_kind: {} },
  ]);
});

it('an account with a verified second factor receives in its private channel with aal2 only', async () => {
  const permissions = async (aal: string, topic: string) => {
    const [row] = await supabase().database.query<{ read: boolean; write: boolean }>(
      `select (p -> 'broadcast' ->> 'read')::boolean as read, (p -> 'broadcast' ->> 'write')::boolean as write
         from realtime.permissions($1, 'authenticated', $2) p`,
      [topic, JSON.stringify({ sub: grace.id, role: 'authenticated', aal })],
    );
    return row;
  };
  expect(await permissions('aal2', `user:${grace.id}`)).toEqual({ read: true, write: false });
  expect(await permissions('aal1', `user:${grace.id}`)).toEqual({ read: false, write: false });
  expect(await permissions('aal2', `user:${ada.id}`)).toEqual({ read: false, write: false });
});

describe('a token of a deleted or banned account', () => {
  const gone: Caller = { role: 'authenticated', userId: crypto.randomUUID() };

  it('a token of a deleted or banned account sends nothing', async () => {
    await expect(
      attempt(gone, `insert into notifications (recipient_id, content) values ('${ada.id}', '{}')`),
    ).rejects.toMatchObject({ code: 'PT401', message: 'account_not_found' });
  });

  it('a token of an account that was deleted softly, or whose ban is over, is judged by that', async () => {
    const { database } = supabase();
    const change = async (column: string) => {
      await database.query('update auth.users set deleted_at = null, banned_until = null where id = $1', [
        grace.id,
      ]);
      await database.query(`update auth.users set ${column} where id = $1`, [grace.id]);
    };
    await change('deleted_at = now()');
    expect(await query(withFactor, 'select * from notification_preferences')).toEqual([]);
    await expect(attempt(withFactor, 'select list_sessions()')).rejects.toMatchObject({
      code: 'PT401',
      message: 'account_not_found',
    });
    await change(`banned_until = now() - interval '1 second'`);
    expect(await query(withFactor, 'select * from notification_preferences')).toHaveLength(1);
    await expect(attempt(withFactor, 'select list_sessions()')).resolves.toBeDefined();
    await change('updated_at = now()');
  });

  it.each([
    ['of another account', '11111111-0000-4000-8000-000000000001'],
    ['that does not exist', '22222222-0000-4000-8000-000000000001'],
    ['without an id', ''],
  ])('a token with a session %s reads and changes nothing', async (_, id) => {
    await supabase().database.query(
      `insert into auth.sessions (id, user_id) values ('11111111-0000-4000-8000-000000000001', $1) on conflict do nothing`,
      [ada.id],
    );
    const caller: Caller = { ...withFactor, claims: { aal: 'aal2', session_id: id } };
    expect(await query(caller, 'select * from notification_preferences')).toEqual([]);
    await expect(attempt(caller, 'select list_sessions()')).rejects.toMatchObject({
      code: 'PT401',
      message: 'session_ended',
    });
  });

  it.each([['select * from notifications'], ['select * from notification_preferences']])(
    'a token of a deleted or banned account reads nothing while the account is banned: %s',
    async (statement) => {
      const { database } = supabase();
      await database.query(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
        grace.id,
      ]);
      expect(await query(withFactor, statement)).toEqual([]);
      await expect(attempt(withFactor, 'select export_account_data()')).rejects.toMatchObject({
        message: 'account_banned',
      });
      await database.query('update auth.users set banned_until = null where id = $1', [grace.id]);
      expect((await query(withFactor, statement)).length).toBeGreaterThan(0);
    },
  );
});

it('every table of the API has row-level security and the restrictive policy, or no privileges for users', async () => {
  for (const { name, oid } of await tables()) {
    const [state] = await supabase().database.query<{
      rls: boolean;
      restricted: boolean;
      readable: boolean;
    }>(
      `select relrowsecurity as rls,
           exists (select from pg_policy where polrelid = $1::int8::oid and not polpermissive) as restricted,
           has_any_column_privilege('authenticated', $1::int8::oid, 'select') as readable
         from pg_class where oid = $1::int8::oid`,
      [oid],
    );
    expect({ name, rls: state?.rls }).toEqual({ name, rls: true });
    expect({ name, closed: state?.restricted || !state?.readable }).toEqual({ name, closed: true });
  }
});

it('every table of the API gives callers without a session no privilege, and one function what a token shows', async () => {
  const [anonymous] = await supabase().database.query<{ tables: string[]; functions: string[] }>(
    `select
         array(select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
           and has_any_column_privilege('anon', oid, 'select, insert, update')) as tables,
         array(select proname::text from pg_proc where pronamespace = 'public'::regnamespace
           and has_function_privilege('anon', oid, 'execute')) as functions`,
  );
  expect(anonymous).toEqual({ tables: [], functions: ['preview_invitation'] });
});

describe('a row of another user', () => {
  const asAda: Caller = { role: 'authenticated', userId: ada.id };
  // Also the sender of a notification is another user.
  beforeEach(() =>
    supabase().database.query('update notifications set sender_id = $1 where recipient_id = $2', [
      ada.id,
      grace.id,
    ]),
  );

  it.each([
    ['notifications', 'recipient_id'],
    ['notification_preferences', 'user_id'],
    ['notification_counters', 'user_id'],
    ['notification_bulk_changes', 'user_id'],
    ['notification_reports', 'reporter_id'],
    ['blocked_senders', 'user_id'],
    ['muted_threads', 'user_id'],
  ])('a row of another user in %s is not read', async (table, owner) => {
    const read = `select from ${table} where ${owner} = '${grace.id}'`;
    expect(await query(asAda, read)).toEqual([]);
    expect((await query(withFactor, read)).length).toBeGreaterThan(0);
  });

  it.each([
    ['delete from notifications', 'recipient_id'],
    [`update notifications set status = 'archived'`, 'recipient_id'],
    ['delete from blocked_senders', 'user_id'],
    ['delete from muted_threads', 'user_id'],
    ['update muted_threads set muted_until = now()', 'user_id'],
    ['delete from notification_preferences', 'user_id'],
    ['update notification_preferences set email_edits = true', 'user_id'],
  ])(
    'a row of another user is not changed by a statement without a condition: %s',
    async (statement, owner) => {
      const table = /(?:from|update) (\w+)/.exec(statement)?.[1];
      const rows = () =>
        supabase().database.query(`select * from ${table} where ${owner} = $1 order by created_at`, [
          grace.id,
        ]);
      const before = await rows();
      expect(before.length).toBeGreaterThan(0);
      await query(asAda, statement);
      expect(await rows()).toEqual(before);
    },
  );

  it.each([
    [
      `insert into muted_threads (user_id, entity_type, entity_id) values ('${grace.id}', 'document', 'more')`,
    ],
    [
      `insert into muted_threads (entity_type, entity_id) values ('document', 'own');
       update muted_threads set user_id = '${grace.id}' where entity_id = 'own'`,
    ],
  ])('a row of another user is not created: %s', async (statement) => {
    await expect(
      runAs(supabase().database, asAda, async (sql) => {
        for (const part of statement.split(';')) await sql.query(part);
      }),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it('users have these privileges on the tables of the API, and no other', async () => {
  const rows = await supabase().database.query<{ name: string; privileges: string[] }>(
    `select c.relname::text as name,
       array(select a.privilege_type::text from aclexplode(c.relacl) a where a.grantee = 'authenticated'::regrole order by 1)
       || array(
         select a.privilege_type || ' ' || t.attname from pg_attribute t, aclexplode(t.attacl) a
         where t.attrelid = c.oid and a.grantee = 'authenticated'::regrole order by 1
       ) as privileges
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
  );
  expect(Object.fromEntries(rows.map(({ name, privileges }) => [name, privileges]))).toEqual({
    audience_members: [],
    audiences: [],
    blocked_senders: ['DELETE', 'INSERT', 'SELECT'],
    invitations: [],
    muted_threads: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
    notification_bulk_changes: ['SELECT'],
    notification_counters: ['SELECT'],
    notification_kinds: ['SELECT'],
    notification_preferences: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
    notification_reports: ['SELECT'],
    notifications: ['DELETE', 'INSERT', 'SELECT', 'UPDATE snoozed_until', 'UPDATE status'],
    push_subscriptions: ['DELETE', 'SELECT created_at', 'SELECT id', 'SELECT session_id', 'SELECT user_id'],
  });
});

it('no role of the API uses the schema private, except for two functions that policies and counts call', async () => {
  const rows = await supabase().database.query<{ role: string; uses: boolean; functions: string[] }>(
    `select role, has_schema_privilege(role, 'private', 'usage') as uses,
       array(select p.proname::text from pg_proc p where p.pronamespace = 'private'::regnamespace
         and has_function_privilege(role, p.oid, 'execute') order by 1) as functions
     from unnest(array['anon', 'authenticated', 'service_role']) role`,
  );
  expect(rows).toEqual([
    { role: 'anon', uses: false, functions: [] },
    { role: 'authenticated', uses: false, functions: ['add_numbers', 'has_assurance'] },
    { role: 'service_role', uses: false, functions: ['add_numbers'] },
  ]);
});

it('the planner knows statistics of no table that users read, but of the kinds', async () => {
  const rows = await supabase().database.query(
    `select distinct c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
       and has_any_column_privilege('authenticated', c.oid, 'select') and coalesce(a.attstattarget, -1) <> 0`,
  );
  expect(rows).toEqual([{ name: 'notification_kinds' }]);
});

it('every function of the schema has an empty search path, except procedures that commit', async () => {
  const rows = await supabase().database.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p
     where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
       and not coalesce(p.proconfig @> array['search_path=""'], false)
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'private.deliver_outgoing(integer,double precision)',
    'private.run_counter_repair(double precision)',
    'private.run_retention(integer,timestamp with time zone,double precision)',
  ]);
});

it('every function of the API that runs as its owner checks the assurance of its caller, or is for services', async () => {
  const rows = await supabase().database.query<{ name: string }>(
    `select p.proname as name from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.prosecdef
       and has_function_privilege('authenticated', p.oid, 'execute')
       and p.prosrc !~ 'private\\.(require_assurance|require_recent_proof|require_session|answer_invitation)\\('
       and not has_function_privilege('anon', p.oid, 'execute')
     order by 1`,
  );
  expect(rows).toEqual([]);
});

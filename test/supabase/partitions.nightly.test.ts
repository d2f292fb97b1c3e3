import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { ada, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const script = new URL('../../scripts/scale/partition-notifications.sql', import.meta.url);

/** What protects the table, and what runs on it, without the trigger by which the embedded Realtime reads changes. */
const readProtection = () =>
  supabase().database.query(
    `select 'policy' as part, policyname::text as name, concat_ws(' ', roles, cmd, qual, with_check) as text
       from pg_policies where schemaname = 'public' and tablename = 'notifications'
     union all select 'trigger', tgname, pg_get_triggerdef(oid)
       from pg_trigger where tgrelid = 'public.notifications'::regclass and not tgisinternal and tgname <> 'realtime_capture'
     union all select 'grant', grantee, privilege_type
       from information_schema.role_table_grants where table_schema = 'public' and table_name = 'notifications'
     union all select 'column grant', grantee || ' ' || column_name, privilege_type
       from information_schema.column_privileges where table_schema = 'public' and table_name = 'notifications'
     union all select 'function', oid::regprocedure::text, (select string_agg(acl::text, ' ' order by acl::text) from unnest(proacl) acl)
       from pg_proc where pronamespace = 'public'::regnamespace
     order by 1, 2, 3`,
  );

let protection: readonly unknown[];
beforeAll(async () => {
  protection = await readProtection();
  await supabase().database.exec(await readFile(script, 'utf8'));
});

it('partitions keep the policies, triggers and grants of the table and its functions', async () => {
  expect(protection.length).toBeGreaterThan(50);
  expect(await readProtection()).toEqual(protection);
});

it('partitions deliver, show and delete a notification of its recipient only', async () => {
  const body = { messages: [{ recipients: [ada.id], text: 'Partitioned' }] };
  const { secretKey } = supabase();
  const sent = await requestApi(supabase(), '/rest/v1/rpc/send_notifications', {
    method: 'POST',
    apiKey: secretKey,
    body,
  });
  expect(sent.status).toBe(200);
  const path = '/rest/v1/notifications?select=id&content=like.*Partitioned*';
  const rowsOf = async (email: string, method = 'GET') => {
    const token = await signIn(supabase(), email);
    const headers = { prefer: 'return=representation' };
    return (await requestApi(supabase(), path, { method, token, headers })).json();
  };
  expect(await rowsOf(grace.email, 'DELETE')).toEqual([]);
  expect(await rowsOf(ada.email)).toHaveLength(1);
  expect(await rowsOf(ada.email, 'DELETE')).toHaveLength(1);
  expect(await rowsOf(ada.email)).toEqual([]);
});

it('a client cannot read a partition by its name', async () => {
  const token = await signIn(supabase(), ada.email);
  const { status } = await requestApi(supabase(), '/rest/v1/notifications_0', { token });
  expect([401, 403, 404]).toContain(status);
});

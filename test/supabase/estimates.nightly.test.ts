import { beforeAll, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

/** The planner's number of rows, which `Prefer: count=planned` returns. */
const planned = (condition: string) =>
  runAs(supabase().database, { role: 'authenticated', userId: ada.id }, async (sql) => {
    const [row] = await sql.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `explain (format json) select * from notifications where ${condition}`,
    );
    return row?.['QUERY PLAN'][0].Plan['Plan Rows'];
  });

beforeAll(async () => {
  const { database } = supabase();
  await database.query(
    `insert into notifications (recipient_id, sender_id, status, content)
     select $1, $2, 'archived', '{"type":"edit","data":{"text":"the very same"}}' from generate_series(1, 3000)`,
    [grace.id, ada.id],
  );
  await database.exec('analyze');
});

it.each([
  ['recipient_id', `'${grace.id}'`, `'${crypto.randomUUID()}'`],
  ['sender_id', `'${ada.id}'`, `'${crypto.randomUUID()}'`],
  ['status', `'archived'`, `'unread'`],
  ['kind', `'edit'`, `'comment'`],
  ['content', `'{"type":"edit","data":{"text":"the very same"}}'`, `'something else'`],
])('the planner’s estimates are the same for every value of %s', async (column, frequent, unknown) => {
  expect(await planned(`${column} = ${frequent}`)).toBe(await planned(`${column} = ${unknown}`));
});

it.each([
  [`created_at > now() - interval '1 hour'`, `created_at > now() - interval '10 years'`],
  [`updated_at > now() - interval '1 hour'`, `updated_at > now() - interval '10 years'`],
])('the planner’s estimates are the same for %s and %s', async (recent, all) => {
  expect(await planned(recent)).toBe(await planned(all));
});

it.each([['planned'], ['estimated']])(
  'the planner’s estimates reveal nothing by count=%s over HTTP either',
  async (count) => {
    const token = await signIn(supabase(), ada.email);
    const total = async (recipient: string) => {
      const response = await requestApi(
        supabase(),
        `/rest/v1/notifications?select=id&limit=1&recipient_id=eq.${recipient}`,
        { token, headers: { Prefer: `count=${count}` } },
      );
      return response.headers.get('content-range')?.split('/')[1];
    };
    expect(await total(grace.id)).toBe(await total(crypto.randomUUID()));
  },
);

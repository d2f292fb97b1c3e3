import { beforeAll, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

interface Choice {
  readonly sender_id: string | null;
  readonly thread: string | null;
  readonly place: string;
}

const listChoices = (userId = grace.id) =>
  runAs(supabase().database, { role: 'authenticated', userId }, (sql) =>
    sql.query<Choice>(
      `select sender_id, thread, content::json #>> '{data,entity_name}' as place from recent_senders_and_threads()`,
    ),
  );

/** Notifications of Grace about threads, one a minute; the first number is the newest. */
const insert = (from: number, to: number, values: { sender?: string; thread: string; status?: string }) =>
  supabase().database.query(
    `insert into notifications (recipient_id, sender_id, status, content, created_at)
     select $1, $2::uuid, $3, json_build_object('type', 'comment', 'entity_type', 'document', 'entity_id', $4::text,
       'data', json_build_object('entity_name', 'Plan ' || n))::text, now() - n * interval '1 minute'
     from generate_series($5::integer, $6::integer) n`,
    [grace.id, values.sender ?? null, values.status ?? 'read', values.thread, from, to],
  );

beforeAll(async () => {
  await supabase().database.exec('delete from notifications');
  await insert(1, 300, { thread: 'busy' });
  await insert(301, 302, { thread: 'old', sender: ada.id });
  await insert(303, 303, { thread: 'put away', status: 'archived' });
});

it('the choices of a filter have the newest row of each sender and thread, however many came later', async () => {
  expect(await listChoices()).toEqual([
    { sender_id: null, thread: 'document/busy', place: 'Plan 1' },
    { sender_id: ada.id, thread: 'document/old', place: 'Plan 301' },
    { sender_id: null, thread: 'document/put away', place: 'Plan 303' },
  ]);
});

it('the choices of a filter are those of the user’s own notifications, and need the assurance level of the account', async () => {
  expect(await listChoices(ada.id)).toEqual([]);
  await expect(
    runAs(supabase().database, { role: 'anon' }, (sql) =>
      sql.query('select * from recent_senders_and_threads()'),
    ),
  ).rejects.toThrow('permission denied');
});

it('the choices of a filter are at most 100 threads, those of the newest notifications', async () => {
  await supabase().database.query(
    `insert into notifications (recipient_id, content, created_at)
     select $1, json_build_object('entity_id', n::text)::text, now() - interval '1 day' - n * interval '1 minute'
     from generate_series(1, 120) n`,
    [grace.id],
  );
  const threads = (await listChoices()).map(({ thread }) => thread);
  expect(threads).toHaveLength(100);
  expect(threads.slice(0, 4)).toEqual(['document/busy', 'document/old', 'document/put away', '/1']);
});

it('the choices of a filter are at most 100 senders, and no row without a sender or thread', async () => {
  const { database } = supabase();
  const reader = crypto.randomUUID();
  await database.query(`insert into auth.users (id, email) values ($1, 'reader@example.com')`, [reader]);
  await database.query('insert into notifications (recipient_id) values ($1)', [reader]);
  expect(await listChoices(reader)).toEqual([]);
  const choices = await database.transaction(async (sql) => {
    await sql.query('set local session_replication_role = replica');
    await sql.query(
      `insert into notifications (recipient_id, sender_id, content) select $1, gen_random_uuid(), '{}' from generate_series(1, 101)`,
      [reader],
    );
    await sql.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify({ sub: reader })]);
    return sql.query('select id from recent_senders_and_threads()');
  });
  await database.query('delete from notifications where recipient_id = $1', [reader]);
  expect(choices).toHaveLength(100);
});

it('the choices of a filter are read by indexes, from a bounded number of rows', async () => {
  await insert(1000, 6000, { thread: 'many', sender: ada.id });
  await supabase().database.exec('vacuum analyze notifications');
  await runAs(supabase().database, { role: 'authenticated', userId: grace.id }, async (sql) => {
    const countReads = async () => {
      const [reads] = await sql.query<{ scans: number; rows: number }>(
        `select seq_scan::integer as scans, idx_tup_fetch::integer as rows
         from pg_stat_xact_user_tables where relname = 'notifications'`,
      );
      return reads ?? { scans: Number.NaN, rows: Number.NaN };
    };
    const before = await countReads();
    await sql.query('select * from recent_senders_and_threads()');
    const after = await countReads();
    expect(after.scans - before.scans).toBe(0);
    expect(after.rows - before.rows).toBeLessThan(2_500);
    expect(after.rows - before.rows).toBeGreaterThan(2_000);
  });
});

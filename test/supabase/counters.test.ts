import * as fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import type { Caller } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const asGrace: Caller = { role: 'authenticated', userId: grace.id };
const asService: Caller = { role: 'service_role' };

const run = (caller: Caller, statement: string) =>
  runAs(supabase().database, caller, (sql) => sql.query(statement));
const insertSql = (kind: string, status = 'unread', recipient = grace.id, rows = 1) =>
  `insert into notifications (recipient_id, status, content)
   select '${recipient}', '${status}', '{"type":"${kind}"}' from generate_series(1, ${rows})`;
const counts = async () => (await run(asGrace, 'select * from notification_counts()'))[0];

async function counted(): Promise<unknown> {
  const [row] = await supabase().database.query(
    `with mine as (
       select status, kind, coalesce(snoozed_until > now(), false) as hidden
       from notifications where recipient_id = $1
     )
     select
       count(*) filter (where status <> 'archived' and not hidden) as inbox,
       count(*) filter (where status = 'unread' and not hidden) as unread,
       count(*) filter (where status = 'archived' and not hidden) as archived,
       count(*) filter (where hidden) as snoozed,
       (select coalesce(jsonb_object_agg(kind, number), '{}') from (
         select kind, count(*) as number from mine where status = 'unread' and not hidden group by kind) k
       ) as unread_by_kind
     from mine`,
    [grace.id],
  );
  return row;
}

beforeEach(() => supabase().database.exec('delete from notifications; delete from notification_counters'));

it('the counts are zero for a user without notifications', async () => {
  expect(await counts()).toEqual({ inbox: 0, unread: 0, archived: 0, snoozed: 0, unread_by_kind: {} });
});

it('the counts are those of the rows after every sequence of statements', async () => {
  const statement = fc.oneof(
    fc
      .record({
        kind: fc.constantFrom('mention', 'edit', 'system', 'reaction'),
        status: fc.constantFrom('unread', 'read', 'archived'),
        recipient: fc.constantFrom(ada.id, grace.id),
        rows: fc.integer({ min: 1, max: 4 }),
      })
      .map(({ kind, status, recipient, rows }) => insertSql(kind, status, recipient, rows)),
    fc
      .tuple(fc.constantFrom('unread', 'read', 'archived'), fc.constantFrom('unread', 'read', 'archived'))
      .map(([from, to]) => `update notifications set status = '${to}' where status = '${from}'`),
    fc.constantFrom(
      `update notifications set snoozed_until = now() + interval '1 hour' where kind = 'mention'`,
      `update notifications set snoozed_until = null`,
      `update notifications set content = '{"type":"edit"}' where kind = 'mention'`,
      `delete from notifications where kind = 'edit'`,
      `delete from notifications where id in (select id from notifications limit 2)`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
      await supabase().database.exec('delete from notifications');
      for (const text of statements) await run(asService, text);
      expect(await counts()).toEqual(await counted());
    }),
    { numRuns: 25 },
  );
});

it('the counts are zero after the table is truncated', async () => {
  await run(asService, insertSql('mention'));
  await supabase().database.exec('truncate notifications');
  expect(await counts()).toEqual(await counted());
  expect(await supabase().database.query('select * from private.notification_words')).toEqual([]);
});

it('the counts are unchanged by a statement that is rolled back', async () => {
  await run(asService, insertSql('mention'));
  await runAs(supabase().database, asService, async (sql) => {
    await sql.query(insertSql('mention', 'unread', grace.id, 5));
    throw new Error('undo');
  }).catch(() => undefined);
  expect(await counts()).toMatchObject({ unread: 1 });
});

it('the counts of many users are written in the order of their ids, so that two statements never deadlock', async () => {
  const { database } = supabase();
  const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
  await database.query(
    `insert into auth.users (id, email) select id, id || '@example.com' from unnest($1::uuid[]) id`,
    [`{${ids.join()}}`],
  );
  await database.query('insert into notifications (recipient_id) select unnest($1::uuid[])', [
    `{${ids.toSorted().toReversed().join()}}`,
  ]);
  const written = await database.query<{ id: string }>(
    'select user_id as id from notification_counters where user_id = any ($1::uuid[]) order by ctid',
    [`{${ids.join()}}`],
  );
  expect(written.map(({ id }) => id)).toEqual(ids.toSorted());
  await database.query('delete from auth.users where id = any ($1::uuid[])', [`{${ids.join()}}`]);
});

it('the counts are private', async () => {
  await run(asService, insertSql('mention'));
  const asAda: Caller = { role: 'authenticated', userId: ada.id };
  expect(await run(asAda, 'select * from notification_counters')).toEqual([]);
  await expect(run(asGrace, 'update notification_counters set unread = 0')).rejects.toMatchObject({
    code: '42501',
  });
});

it('the counts are repaired by the job, which returns whether they were wrong', async () => {
  const { database } = supabase();
  await run(asService, insertSql('mention', 'unread', grace.id, 3));
  await run(asService, insertSql('mention', 'read', grace.id, 2));
  await run(asService, insertSql('edit', 'archived', grace.id, 1));
  await run(asService, insertSql('mention', 'unread', ada.id, 5));
  await database.exec(`update notification_counters set unread = 7, unread_by_kind = '{"edit": 7}'`);
  const repair = () =>
    database.query<{ wrong: boolean }>('select private.repair_counters($1) as wrong', [grace.id]);
  expect(await repair()).toEqual([{ wrong: true }]);
  expect(await counts()).toEqual(await counted());
  expect(await repair()).toEqual([{ wrong: false }]);
  await database.exec('update notification_counters set archived = 9');
  const right = await counted();
  await database.exec('call private.run_counter_repair(run_seconds => 0)');
  expect(await counts()).not.toEqual(right);
  await database.exec('call private.run_counter_repair()');
  expect(await counts()).toEqual(right);
});

it('the counts are deleted with the account', async () => {
  const { database } = supabase();
  const id = crypto.randomUUID();
  await database.query(`insert into auth.users (id, email) values ($1, 'leaving@example.com')`, [id]);
  await run(asService, insertSql('mention', 'unread', id, 3));
  await database.query('delete from auth.users where id = $1', [id]);
  expect(await database.query('select * from notification_counters where user_id = $1', [id])).toEqual([]);
  expect(
    await database.query('select * from private.notification_tombstones where recipient_id = $1', [id]),
  ).toEqual([]);
});

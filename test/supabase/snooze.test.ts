import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import type { Caller } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const asGrace: Caller = { role: 'authenticated', userId: grace.id };

const run = <Row = Record<string, unknown>>(statement: string, params: unknown[] = [], caller = asGrace) =>
  runAs(supabase().database, caller, (sql) => sql.query<Row>(statement, params));
const insert = async (rows = 1, text = 'hello') =>
  (
    await supabase().database.query<{ id: string }>(
      `insert into notifications (recipient_id, content, created_at)
       select $1, jsonb_build_object('type', 'mention', 'data', jsonb_build_object('text', $3::text))::text,
         now() - n * interval '1 minute'
       from generate_series(1, $2) n returning id`,
      [grace.id, rows, text],
    )
  ).map(({ id }) => id);
const snooze = (id: string | undefined, span = '1 hour') =>
  run(`update notifications set snoozed_until = now() + $2::interval where id = $1`, [id, span]);
const stateOf = async (id: string | undefined) => {
  const [row] = await run<{ status: string; is_snoozed: boolean | null }>(
    'select status, snoozed_until > now() as is_snoozed from notifications where id = $1',
    [id],
  );
  return row;
};
const changesSince = async (since: string | null) => {
  const [row] = await run<{ changes: { reset: boolean; snoozed: { id: string }[] } }>(
    'select notification_changes($1) as changes',
    [since],
  );
  return row?.changes;
};

beforeEach(() =>
  supabase().database.exec(
    'delete from notifications; delete from private.notification_tombstones; delete from notification_bulk_changes',
  ),
);

it('a snoozed notification is unread, also if it was read or archived before', async () => {
  const [read, archived] = await insert(2);
  await run(`update notifications set status = 'read' where id = $1`, [read]);
  await run(`update notifications set status = 'archived' where id = $1`, [archived]);
  await snooze(read);
  await snooze(archived);
  expect([await stateOf(read), await stateOf(archived)]).toEqual([
    { status: 'unread', is_snoozed: true },
    { status: 'unread', is_snoozed: true },
  ]);
});

it('a notification that returned and was read is snoozed once more', async () => {
  const [id] = await insert();
  await snooze(id, '-1 second');
  await run(`update notifications set status = 'read' where id = $1`, [id]);
  await snooze(id);
  expect(await stateOf(id)).toEqual({ status: 'unread', is_snoozed: true });
});

it('a snoozed notification is no longer snoozed once it is read or archived', async () => {
  const [read, archived] = await insert(2);
  await snooze(read);
  await snooze(archived);
  await run(`update notifications set status = 'read' where id = $1`, [read]);
  await run(`update notifications set status = 'archived' where id = $1`, [archived]);
  expect([await stateOf(read), await stateOf(archived)]).toEqual([
    { status: 'read', is_snoozed: null },
    { status: 'archived', is_snoozed: null },
  ]);
});

it('a snoozed notification gets its earlier state back by an undo', async () => {
  const [id] = await insert();
  await run(`update notifications set status = 'read' where id = $1`, [id]);
  await snooze(id);
  await run(`update notifications set status = 'read', snoozed_until = null where id = $1`, [id]);
  expect(await stateOf(id)).toEqual({ status: 'read', is_snoozed: null });
});

it('a snoozed notification is counted as snoozed only, until its time', async () => {
  const [id] = await insert(3);
  await snooze(id);
  expect(await run('select inbox, unread, snoozed from notification_counts()')).toMatchObject([
    { inbox: 2, unread: 2, snoozed: 1 },
  ]);
  await snooze(id, '-1 second');
  expect(await run('select inbox, unread, snoozed from notification_counts()')).toMatchObject([
    { inbox: 3, unread: 3, snoozed: 0 },
  ]);
});

it('a snoozed notification is left alone by the actions on the other lists', async () => {
  const [id] = await insert(3);
  await snooze(id);
  await run('select mark_all_notifications_read()');
  expect(await stateOf(id)).toEqual({ status: 'unread', is_snoozed: true });
  await run(`select delete_notifications('all')`);
  expect(await run('select id from notifications')).toEqual([{ id }]);
  await run(`select delete_notifications('snoozed')`);
  expect(await run('select id from notifications')).toEqual([]);
});

it('a snoozed notification is found in its own list only', async () => {
  const [id] = await insert(2, 'engine');
  await snooze(id);
  const found = (tab: string) => run(`select id from search_notifications('engine', $1)`, [tab]);
  expect(await found('snoozed')).toEqual([{ id }]);
  expect(await found('all')).toHaveLength(1);
  expect(await found('unread')).toHaveLength(1);
});

it('a snoozed notification survives retention', async () => {
  const { database } = supabase();
  const [id] = await insert();
  await run(`update notifications set status = 'read' where id = $1`, [id]);
  await snooze(id, '200 days');
  await database.query(`select private.delete_expired(1000, now() + interval '100 days')`);
  expect(await run('select id from notifications')).toEqual([{ id }]);
});

it('a snoozed notification has a finite time', async () => {
  const [id] = await insert();
  await expect(
    run(`update notifications set snoozed_until = 'infinity' where id = $1`, [id]),
  ).rejects.toThrow('snoozed_until_is_finite');
});

it('a snoozed notification belongs to its recipient', async () => {
  const [id] = await insert();
  await run(`update notifications set snoozed_until = now() + interval '1 day' where id = $1`, [id], {
    role: 'authenticated',
    userId: ada.id,
  });
  expect(await stateOf(id)).toEqual({ status: 'unread', is_snoozed: null });
});

it('the response of notification_changes with a reset contains the snoozed notifications and those that returned within a week', async () => {
  const [soon, later, returned, old] = await insert(5);
  await snooze(later, '2 days');
  await snooze(soon, '1 hour');
  await snooze(returned, '-1 day');
  await snooze(old, '-8 days');
  const changes = await changesSince(null);
  expect(changes?.snoozed.map(({ id }) => id)).toEqual([returned, soon, later]);
});

it('the response of notification_changes contains the 100 that return first and the 100 that returned last, of its caller', async () => {
  const { database } = supabase();
  await insert(101);
  await database.exec(
    `update notifications n set snoozed_until = now() + place * interval '1 hour'
     from (select id, row_number() over (order by id) as place from notifications) p where p.id = n.id`,
  );
  const coming = await database.query<{ id: string }>('select id from notifications order by snoozed_until');
  await insert(101);
  await database.exec(
    `update notifications n set snoozed_until = now() - place * interval '1 hour'
     from (select id, row_number() over (order by id) as place from notifications where snoozed_until is null) p where p.id = n.id`,
  );
  const returned = await database.query<{ id: string }>(
    'select id from notifications where snoozed_until < now() order by snoozed_until',
  );
  await database.query(
    `insert into notifications (recipient_id, status, snoozed_until) values ($1, 'unread', now() + interval '1 minute'),
       ($1, 'unread', now() - interval '1 minute'), ($2, 'archived', now() - interval '1 minute')`,
    [ada.id, grace.id],
  );
  await database.exec(
    `update notifications set snoozed_until = now() - interval '1 minute' where status = 'archived'`,
  );
  const changes = await changesSince(null);
  expect(changes?.snoozed.map(({ id }) => id)).toEqual(
    [...returned.slice(1), ...coming.slice(0, 100)].map(({ id }) => id),
  );
});

it('the response of notification_changes without a reset contains a snoozed notification only as a change', async () => {
  const [id] = await insert();
  await snooze(id);
  expect(await changesSince(new Date().toISOString())).toMatchObject({
    reset: false,
    snoozed: [],
    changed: [{ id }],
  });
});

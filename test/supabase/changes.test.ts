import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import type { Caller } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const asAda: Caller = { role: 'authenticated', userId: ada.id };
const asGrace: Caller = { role: 'authenticated', userId: grace.id };
const asService: Caller = { role: 'service_role' };

interface Changes {
  as_of: string;
  reset: boolean;
  changed: { id: string; status: string }[];
  deleted: string[];
  counts: { unread: number; needs_you: number };
}

const run = <Row = Record<string, unknown>>(caller: Caller, statement: string, params: unknown[] = []) =>
  runAs(supabase().database, caller, (sql) => sql.query<Row>(statement, params));
async function changesSince(since: string | null, caller = asGrace, pageSize = 100): Promise<Changes> {
  const [row] = await run<{ changes: Changes }>(caller, 'select notification_changes($1, $2) as changes', [
    since,
    pageSize,
  ]);
  if (!row) throw new Error('no row');
  return row.changes;
}
const insert = async (rows = 1, kind = 'mention') =>
  (
    await supabase().database.query<{ id: string }>(
      `insert into notifications (recipient_id, content)
       select $1, jsonb_build_object('type', $3::text)::text from generate_series(1, $2) returning id`,
      [grace.id, rows, kind],
    )
  ).map(({ id }) => id);
const insertFor = (recipient: string, kind: string, age: string) =>
  `insert into notifications (recipient_id, content, created_at) values ('${recipient}', '{"type":"${kind}"}', now() - interval '${age}')`;
/** Moves all times an hour back, so that only later changes count. */
const age = () =>
  supabase().database.exec(
    `alter table notifications disable trigger stamp_updated_at;
     update notifications set created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour';
     alter table notifications enable trigger stamp_updated_at;
     update private.notification_tombstones set deleted_at = deleted_at - interval '1 hour';
     update notification_bulk_changes set changed_at = changed_at - interval '1 hour'`,
  );
const bulkRevision = async () =>
  (await supabase().database.query<{ revision: number }>('select revision from notification_bulk_changes'))[0]
    ?.revision ?? 0;

beforeEach(() =>
  supabase().database.exec(
    'delete from notifications; delete from private.notification_tombstones; delete from notification_bulk_changes',
  ),
);

it('each response has the number of unread notifications that need the user', async () => {
  const needed = await insert(12);
  await insert(29, 'comment');
  const count = async (since: string | null) => (await changesSince(since)).counts.needs_you;
  expect(await count(null)).toBe(12);
  await run(asGrace, `update notifications set status = 'read' where id = any($1)`, [needed.slice(0, 9)]);
  await run(asGrace, `update notifications set snoozed_until = now() + interval '1 hour' where id = $1`, [
    needed[9],
  ]);
  expect(await count(new Date().toISOString())).toBe(2);
});

it('the changes since a time are the changed rows, the ids of the deleted ones, and the counts', async () => {
  const [kept, read, gone] = await insert(3);
  await age();
  const { as_of: since } = await changesSince(new Date().toISOString());
  await run(asGrace, `update notifications set status = 'read' where id = $1`, [read]);
  await run(asGrace, 'delete from notifications where id = $1', [gone]);
  const [added] = await insert();
  const changes = await changesSince(since);
  expect(changes).toMatchObject({ reset: false, deleted: [gone], counts: { unread: 2 } });
  expect(changes.changed.map(({ id, status }) => [id, status])).toEqual([
    [read, 'read'],
    [added, 'unread'],
  ]);
  expect(changes.changed.map(({ id }) => id)).not.toContain(kept);
});

it('the changes since a time repeat the last 30 seconds, because a transaction commits after it has stamped its rows', async () => {
  const [added] = await insert();
  const { changed } = await changesSince(new Date(Date.now() + 10_000).toISOString());
  expect(changed.map(({ id }) => id)).toEqual([added]);
});

it('the changes since a time have what was sent before it and delivered later', async () => {
  const { database } = supabase();
  await database.query(
    `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at)
     values ($1, $2, '{"type":"mention"}', now() - interval '1 hour')`,
    [ada.id, grace.id],
  );
  await database.exec('call private.deliver_outgoing()');
  const [time] = await database.query<{ since: string }>(
    `select (now() - interval '30 minutes')::text as since`,
  );
  expect((await changesSince(time?.since ?? null)).changed).toHaveLength(1);
});

it('the changes since a time are empty when nothing changed, and omit the changes of other users', async () => {
  await insert();
  expect(await changesSince(new Date().toISOString(), asAda)).toMatchObject({ changed: [], deleted: [] });
  await age();
  expect(await changesSince(new Date().toISOString())).toMatchObject({
    reset: false,
    changed: [],
    deleted: [],
    counts: { unread: 1 },
  });
});

it.each([
  ['without a time', null],
  ['after more than a day', new Date(Date.now() - 90_000_000).toISOString()],
])('the changes since a time require a reload %s', async (_, since) => {
  await insert();
  expect(await changesSince(since)).toMatchObject({ reset: true, changed: [], counts: { unread: 1 } });
});

it('the changes since a time require a reload when there is more than one page', async () => {
  await insert(6);
  expect(await changesSince(new Date().toISOString(), asGrace, 5)).toMatchObject({
    reset: true,
    changed: [],
  });
  expect((await changesSince(new Date().toISOString(), asGrace, 6)).changed).toHaveLength(6);
});

it.each([
  [0, 1],
  [1001, 1000],
])('a page of %i changes since a time has %i at most', async (pageSize, most) => {
  const ids = await insert(most);
  // In parts, because a larger statement requires a reload by itself.
  await supabase().database.exec('delete from notification_bulk_changes');
  const since = new Date().toISOString();
  expect((await changesSince(since, asGrace, pageSize)).changed).toHaveLength(ids.length);
  await insert(1);
  expect((await changesSince(since, asGrace, pageSize)).reset).toBe(true);
});

it('the changes since a time require a reload after a statement that changed more than 100', async () => {
  await insert(101);
  await age();
  const { as_of: since } = await changesSince(new Date().toISOString());
  await run(asGrace, 'delete from notifications');
  expect(await changesSince(since)).toMatchObject({ reset: true, deleted: [], counts: { unread: 0 } });
  expect(await supabase().database.query('select * from private.notification_tombstones')).toEqual([]);
});

it('functions for whole lists mark all, one kind, or those up to a time as read', async () => {
  await insert(2, 'mention');
  await insert(1, 'edit');
  const mark = async (args: string) =>
    (await run<{ n: number }>(asGrace, `select mark_all_notifications_read(${args}) as n`))[0]?.n;
  expect(await mark(`up_to => now() - interval '1 hour'`)).toBe(0);
  expect(await mark(`kind => 'mention'`)).toBe(2);
  expect(await mark('')).toBe(1);
  expect(await mark('')).toBe(0);
});

it('functions for whole lists delete a list, or one kind of it', async () => {
  const [read] = await insert(2, 'mention');
  const [archived] = await insert(1, 'edit');
  await run(asGrace, `update notifications set status = 'read' where id = $1`, [read]);
  await run(asGrace, `update notifications set status = 'archived' where id = $1`, [archived]);
  const remove = async (args: string) =>
    (await run<{ n: number }>(asGrace, `select delete_notifications(${args}) as n`))[0]?.n;
  expect(await remove(`'all', kind => 'edit'`)).toBe(0);
  expect(await remove(`'unread'`)).toBe(1);
  expect(await remove(`'all'`)).toBe(1);
  expect(await remove(`'archived'`)).toBe(1);
  await expect(remove(`'everything'`)).rejects.toMatchObject({ code: 'PT400', message: 'tab_invalid' });
});

it('functions for whole lists archive a list, or one kind of it', async () => {
  const [read] = await insert(2, 'mention');
  await insert(1, 'edit');
  await run(asGrace, `update notifications set status = 'read' where id = $1`, [read]);
  const archive = async (args: string) =>
    (await run<{ n: number }>(asGrace, `select archive_notifications(${args}) as n`))[0]?.n;
  expect(await archive(`'all', kind => 'edit'`)).toBe(1);
  expect(await archive(`'all', up_to => '2020-01-01'`)).toBe(0);
  expect(await archive(`'unread'`)).toBe(1);
  expect(await archive(`'all'`)).toBe(1);
  expect(await archive(`'archived'`)).toBe(0);
  await expect(archive(`'everything'`)).rejects.toMatchObject({ code: 'PT400', message: 'tab_invalid' });
});

it('functions for whole lists change a part of a list, the newest first, until a part is not full', async () => {
  const [oldest] = await insert();
  await insert(2);
  const call = async (name: string, args: string) =>
    (await run<{ n: number }>(asGrace, `select ${name}(${args}) as n`))[0]?.n;
  const parts = async (name: string, args: string) => [
    await call(name, args),
    await call(name, args),
    await call(name, args),
  ];
  expect(await call('mark_all_notifications_read', 'most => 2')).toBe(2);
  expect(await run(asGrace, `select id from notifications where status = 'unread'`)).toEqual([
    { id: oldest },
  ]);
  expect(await call('mark_all_notifications_read', 'most => 2')).toBe(1);
  expect(await parts('archive_notifications', `'all', most => 2`)).toEqual([2, 1, 0]);
  expect(await parts('delete_notifications', `'archived', most => 2`)).toEqual([2, 1, 0]);
});

const wholeLists = [
  ['mark_all_notifications_read', ''],
  ['archive_notifications', `'all',`],
  ['delete_notifications', `'all',`],
] as const;

it.each(wholeLists)(
  'the function %s changes only notifications of its caller, of one kind, and up to a time',
  async (name, tab) => {
    await run(asService, insertFor(ada.id, 'mention', '1 day'));
    const ofGrace = [
      ['mention', '1 day'],
      ['mention', '1 second'],
      ['edit', '1 day'],
    ] as const;
    for (const [kind, age] of ofGrace) await run(asService, insertFor(grace.id, kind, age));
    const unread = async () =>
      (
        await run<{ kind: string }>(
          asService,
          `select kind from notifications where status = 'unread' order by kind, recipient_id`,
        )
      ).map(({ kind }) => kind);
    const call = async (args: string) =>
      (await run<{ n: number }>(asGrace, `select ${name}(${tab} ${args}) as n`))[0]?.n;
    expect(await call(`kind => 'mention', up_to => now() - interval '1 hour'`)).toBe(1);
    expect(await unread()).toEqual(['edit', 'mention', 'mention']);
    expect(await call('most => 10')).toBe(2);
    expect(await unread()).toEqual(['mention']);
  },
);

it.each(wholeLists)(
  'the function %s takes the newest first, and those of one time by their ids',
  async (name, tab) => {
    for (const age of ['2 days', '1 day', '1 day', '1 hour'])
      await run(asService, insertFor(grace.id, 'mention', age));
    await supabase().database.exec(`update notifications set created_at = date_trunc('day', created_at)`);
    const unread = () =>
      run<{ id: string }>(
        asService,
        `select id from notifications where status = 'unread' order by created_at desc, id desc`,
      );
    for (let left = await unread(); left.length > 0; left = left.slice(1)) {
      expect(await unread()).toEqual(left);
      await run(asGrace, `select ${name}(${tab} most => 1)`);
    }
  },
);

it.each([
  ['mark_all_notifications_read', '', 100, 100, false],
  ['mark_all_notifications_read', '', 101, 0, true],
  ['archive_notifications', `'unread'`, 50, 50, false],
  ['archive_notifications', `'unread'`, 50, 51, true],
  ['delete_notifications', `'unread'`, 50, 50, false],
  ['delete_notifications', `'unread'`, 50, 51, true],
])(
  'the function %s(%s) of a list with %i unread and %i read is announced: %s',
  async (name, args, unread, read, isAnnounced) => {
    await insert(unread);
    await supabase().database.query(
      `insert into notifications (recipient_id, status) select $1, 'read' from generate_series(1, $2)`,
      [grace.id, read],
    );
    await supabase().database.exec('delete from notification_bulk_changes');
    await run(asGrace, `select ${name}(${args})`);
    expect((await bulkRevision()) > 0).toBe(isAnnounced);
  },
);

it('functions for whole lists announce more than 100 changes to realtime before the changes, and fewer not at all', async () => {
  await insert(100);
  await run(asGrace, 'select mark_all_notifications_read()');
  expect(await bulkRevision()).toBe(0);
  await insert(101);
  // In one transaction, because the service removes committed changes from the outbox at once.
  const captured = await supabase().database.transaction(async (sql) => {
    await sql.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify({ sub: grace.id })]);
    await sql.query('select mark_all_notifications_read()');
    return sql.query<{ name: string }>(
      'select relation::regclass::text as name from realtime.outbox where xid = pg_current_xact_id() order by id',
    );
  });
  expect(captured[0]?.name).toBe('notification_bulk_changes');
  expect(captured.length).toBeGreaterThan(101);
  expect(await bulkRevision()).toBeGreaterThan(0);
});

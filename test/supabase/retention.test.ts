import { beforeEach, expect, it } from 'vitest';
import { runRetention } from 'local-supabase/testing';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const expire = (inDays: number, batch = 1000) =>
  supabase().database.query(`call private.run_retention(${batch}, now() + interval '${inDays} days')`);
const kept = async (table: string) => (await supabase().database.query(`select * from ${table}`)).length;

beforeEach(() => supabase().database.exec('delete from notifications'));

it('retention deletes read and archived notifications after 90 days in batches, never unread ones', async () => {
  await supabase().database.query(
    `insert into notifications (recipient_id, status)
       select $1, s from unnest(array['unread', 'read', 'archived']) s, generate_series(1, 7)`,
    [grace.id],
  );
  await expire(89, 3);
  expect(await kept('notifications')).toBe(21);
  await expire(91, 3);
  expect(await supabase().database.query('select distinct status from notifications')).toEqual([
    { status: 'unread' },
  ]);
  expect(await kept('notifications')).toBe(7);
});

it.each([
  [
    'private.outgoing_notifications',
    '(sender_id, recipient_id, created_at, due_at)',
    `'${ada.id}', '${grace.id}', now(), 'infinity'`,
  ],
  ['private.mail_only_notifications', '', `gen_random_uuid(), '${grace.id}', null, 'edit', null, now()`],
  [
    'private.sent_notifications',
    '(sender_id, recipient_id, created_at)',
    `'${ada.id}', '${grace.id}', now()`,
  ],
  ['private.notification_tombstones', '', `'${grace.id}', gen_random_uuid()`],
  ['invitations', '(inviter_id, invitee_email)', `'${ada.id}', 'late-' || n || '@example.com'`],
  ['private.send_usage', '', `'${ada.id}', 'notification', n::text, now(), 1, now(), 1`],
  [
    'private.notification_mails',
    '(recipient_id, topic, state, due_at, finished_at)',
    `'${ada.id}', 'test', 'sent', now(), now()`,
  ],
  [
    'private.push_messages',
    '(subscription_id, state, due_at, finished_at)',
    `(select id from public.push_subscriptions limit 1), 'sent', now(), now()`,
    `insert into auth.sessions (id, user_id) values ('00000000-0000-4000-8000-00000000000c', '${grace.id}');
     insert into public.push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
     values ('${grace.id}', '00000000-0000-4000-8000-00000000000c', 'https://push.example/c', repeat('A', 87), repeat('A', 22));`,
  ],
  [
    'private.webhooks',
    '(endpoint_id, event, state, finished_at)',
    `(select id from private.webhook_endpoints limit 1), 'mail.bounced', 'sent', now()`,
    `insert into private.webhook_endpoints (url, events) values ('https://hooks.example.com/x', '{mail.bounced}');`,
  ],
])('a run of retention deletes all batches of %s', async (table, columns, values, prepare = '') => {
  const { database } = supabase();
  // Call it for this table alone, because a run continues while any table fills a batch.
  await database.query(`call private.run_retention(1000, now() + interval '200 days')`);
  await database.exec(
    `delete from ${table}; ${prepare} insert into ${table} ${columns} select ${values} from generate_series(1, 5) n`,
  );
  await expire(100, 2);
  expect(await kept(table)).toBe(0);
});

it.each([
  ['mails', 'private.notification_mails', { recipient_id: `'${ada.id}'`, topic: `'test'` }],
  ['push_messages', 'private.push_messages', { subscription_id: '(select id from push_subscriptions)' }],
  [
    'webhooks',
    'private.webhooks',
    { endpoint_id: '(select id from private.webhook_endpoints)', event: `'mail.bounced'` },
  ],
] as const)(
  'a batch of %s ends after its size, and has only what is finished and old',
  async (name, table, row) => {
    const left = await supabase().database.transaction(async (sql) => {
      await sql.query(`delete from ${table}`);
      await sql.query('delete from push_subscriptions');
      await sql.query(
        `with session as (insert into auth.sessions (id, user_id) values (gen_random_uuid(), '${grace.id}') returning id)
       insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
       select '${grace.id}', id, 'https://push.example/b', repeat('A', 87), repeat('A', 22) from session`,
      );
      await sql.query('delete from private.webhook_endpoints');
      await sql.query(
        `insert into private.webhook_endpoints (url, events) values ('https://hooks.example.com/b', '{mail.bounced}')`,
      );
      await sql.query(
        `insert into ${table} (${Object.keys(row).join()}, state, due_at, finished_at, reason)
       select ${Object.values(row).join()}, state, now() - interval '1 year', now() - age, age::text
       from (values ('retrying', null), ('sent', '3 days'), ('sent', '50 days'), ('skipped', '51 days'), ('dead', '52 days')) given (state, text) cross join lateral (select text::interval) parsed (age)`,
      );
      const [deleted] = await sql.query(`select private.delete_expired_${name}(2, now()) as count`);
      expect(deleted).toEqual({ count: 2 });
      expect(await sql.query(`select private.delete_expired_${name}(2, now()) as count`)).toEqual([
        { count: 1 },
      ]);
      return sql.query(`select state, reason from ${table} order by finished_at desc nulls first`);
    });
    await supabase().database.exec(`delete from ${table}; delete from private.webhook_endpoints`);
    expect(left).toMatchObject([{ state: 'retrying' }, { state: 'sent' }]);
  },
);

it.each([
  [
    'private.mail_only_notifications',
    'created_at',
    `gen_random_uuid(), '${grace.id}', null, 'edit', null, at`,
  ],
  [
    'private.sent_notifications',
    'created_at',
    `nextval('private.sent_notifications_id_seq'), '${ada.id}', '${grace.id}', null, at`,
  ],
  ['private.notification_tombstones', 'deleted_at', `'${grace.id}', gen_random_uuid(), at`],
  [
    'public.invitations',
    'expires_at',
    `gen_random_uuid(), 't' || n, '${ada.id}', n || '@example.com', null, null, null, 'pending', at, at`,
  ],
  ['private.send_usage', 'day_started_at', `'${ada.id}', 'notification', n::text, at, 1, at, 1`],
])('a batch of %s has the oldest of what is past its time', async (table, column, values) => {
  const left: unknown[] = [];
  const undone = supabase().database.transaction(async (sql) => {
    await sql.query(`delete from ${table}`);
    await sql.query(
      `insert into ${table} overriding system value select ${values}
       from unnest(array[600, 800, 0, 700]) with ordinality given (age, n)
       cross join lateral (select now() - age * interval '1 day' as at) time`,
    );
    await sql.query('select private.delete_expired(2, now())');
    left.push(...(await sql.query(`select (now()::date - ${column}::date) as age from ${table} order by 1`)));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(left).toEqual([{ age: 0 }, { age: 600 }]);
});

it('a batch of messages is the ten that finished first', async () => {
  const { database } = supabase();
  await database.exec(`
    delete from private.messages;
    insert into private.messages (idempotency_key, state, send_at, finished_at)
      select n, 'delivered', now(), now() - n * interval '100 days' from generate_series(1, 12) n;
    select private.delete_expired_messages(1000, now());`);
  const left = await database.query(
    'select idempotency_key as key from private.messages order by finished_at',
  );
  await database.exec('delete from private.messages');
  expect(left).toEqual([{ key: '2' }, { key: '1' }]);
});

it('a run of retention deletes all batches of notifications that have expired', async () => {
  await supabase().database.query(
    'insert into notifications (recipient_id, expires_at) select $1, now() from generate_series(1, 5)',
    [grace.id],
  );
  // The job deletes the rows before their tombstones expire.
  await expire(0, 2);
  expect(await kept('notifications')).toBe(0);
});

it('a run of retention ends after its time, and the next one continues', async () => {
  const { database } = supabase();
  await database.query(`insert into notifications (recipient_id, status) values ($1, 'read')`, [grace.id]);
  await database.exec(`call private.run_retention(1, now() + interval '91 days', run_seconds => 0)`);
  expect(await kept('notifications')).toBe(1);
  await database.exec(`call private.run_retention(1, now() + interval '91 days')`);
  expect(await kept('notifications')).toBe(0);
});

it('retention is run by the embedded service on its clock', async () => {
  const { database } = supabase();
  await database.query(`insert into notifications (recipient_id, status) values ($1, 'read')`, [grace.id]);
  await runRetention(database, Date.now());
  expect(await kept('notifications')).toBe(1);
  await runRetention(database, Date.now() + 91 * 86_400_000);
  expect(await kept('notifications')).toBe(0);
});

it('retention deletes the log of sent notifications after 90 days', async () => {
  await supabase().database.exec(`
    delete from private.sent_notifications;
    insert into private.sent_notifications (sender_id, recipient_id, created_at) values ('${ada.id}', '${grace.id}', now());
  `);
  await expire(89);
  expect(await kept('private.sent_notifications')).toBe(1);
  await expire(91);
  expect(await kept('private.sent_notifications')).toBe(0);
});

it('retention deletes dead letters after 30 days, and nothing that is still retried', async () => {
  const { database } = supabase();
  await database.exec(`
    insert into private.outgoing_notifications (sender_id, recipient_id, created_at, due_at)
    select '${ada.id}', '${grace.id}', now(), due_at from unnest('{2999-01-01,infinity}'::timestamptz[]) due_at`);
  await expire(29);
  expect(await kept('private.outgoing_notifications')).toBe(2);
  await expire(31);
  expect(
    await database.query('select due_at < $$infinity$$ as is_retried from private.outgoing_notifications'),
  ).toEqual([{ is_retried: true }]);
  await database.exec('delete from private.outgoing_notifications');
});

it('retention deletes tombstones, mail-only notifications, invitations and usage after their retention period', async () => {
  const { database } = supabase();
  await database.exec(`
      delete from private.notification_tombstones; delete from private.mail_only_notifications;
      delete from invitations; delete from private.send_usage;
      insert into private.notification_tombstones values ('${grace.id}', gen_random_uuid());
      insert into private.mail_only_notifications values (gen_random_uuid(), '${grace.id}', null, 'edit', null, now());
      insert into invitations (inviter_id, invitee_email) values ('${ada.id}', 'late@example.com');
      insert into private.send_usage values ('${ada.id}', 'notification', '', now(), 1, now(), 1);
    `);
  const tables = [
    'private.send_usage',
    'private.notification_tombstones',
    'private.mail_only_notifications',
    'invitations',
  ];
  const state = () => Promise.all(tables.map(kept));
  for (const [days, expected] of [
    [0.9, [1, 1, 1, 1]],
    [1.1, [0, 1, 1, 1]],
    [2.1, [0, 0, 1, 1]],
    [14.1, [0, 0, 0, 1]],
    [36, [0, 0, 0, 1]],
    [38, [0, 0, 0, 0]],
  ] as const) {
    await expire(days);
    expect([days, await state()]).toEqual([days, expected]);
  }
});

it('retention deletes finished push messages after 7 days, and subscriptions whose session has ended', async () => {
  const { database } = supabase();
  await database.exec(`
      delete from public.push_subscriptions; delete from auth.sessions;
      insert into auth.sessions (id, user_id) values ('00000000-0000-4000-8000-00000000000a', '${grace.id}');
      insert into public.push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
      select '${grace.id}', id::uuid, 'https://push.example/' || id, repeat('A', 87), repeat('A', 22)
      from unnest(array['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']) id;
      insert into private.push_messages (subscription_id, state, due_at, finished_at)
      select s.id, state, now(), case when state <> 'pending' then now() end
      from public.push_subscriptions s, unnest(array['sent', 'skipped', 'dead', 'pending']) state
      where s.session_id = '00000000-0000-4000-8000-00000000000a';
    `);
  await expire(6);
  expect(await kept('private.push_messages')).toBe(4);
  expect(await kept('public.push_subscriptions')).toBe(1);
  await expire(8);
  expect(await supabase().database.query('select state from private.push_messages')).toEqual([
    { state: 'pending' },
  ]);
});

it('records of scheduled jobs are deleted after a day', async () => {
  const { database } = supabase();
  await database.exec(`
    create schema cron; create table cron.job_run_details (runid bigint, end_time timestamptz);
    insert into cron.job_run_details values (1, now() - interval '25 hours'), (2, now()), (3, null);
    call private.run_retention();
  `);
  const runs = await database.query('select runid from cron.job_run_details order by runid');
  await database.exec('drop schema cron cascade');
  expect(runs).toEqual([{ runid: 2 }, { runid: 3 }]);
});

it('a job whose extensions are offered and refused fails its migration, and one without them only warns', async () => {
  const schedule = (...extensions: readonly string[]) =>
    supabase().database.query(`select private.schedule_job('test', '* * * * *', 'select 1', $1)`, [
      `{${extensions.join()}}`,
    ]);
  // pgcrypto is there, but the function that schedules is not, as where pg_cron could not be created.
  await expect(schedule('pgcrypto')).rejects.toMatchObject({ message: expect.stringContaining('cron') });
  await schedule('pg_cron');
  await schedule('pgcrypto', 'pg_cron');
});

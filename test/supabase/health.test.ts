import { beforeEach, expect, it } from 'vitest';
import { ada, grace, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

interface Queue {
  readonly waiting: number;
  readonly oldest_seconds: number | null;
  readonly dead?: number;
  readonly retrying?: number;
  readonly held_seconds?: number | null;
  readonly failures?: Readonly<Record<string, number>>;
}
const ask = (apiKey: string) =>
  requestApi(supabase(), '/rest/v1/rpc/queue_health', { method: 'POST', apiKey, body: {} });
const readHealth = async () =>
  (await (await ask(supabase().secretKey)).json()) as Readonly<Record<string, Queue>>;

beforeEach(() =>
  supabase().database.exec(
    'delete from private.notification_mails; delete from private.messages; delete from private.webhook_endpoints',
  ),
);

it('reports no age for an empty queue, and no jobs without pg_cron', async () => {
  const empty = { waiting: 0, oldest_seconds: null };
  const emptyLeased = { ...empty, sending: 0, retrying: 0, held_seconds: null, dead: 0, failures: {} };
  expect(await readHealth()).toEqual({
    outgoing: { ...empty, retrying: 0, dead: 0 },
    messages: empty,
    announcements: empty,
    mails: emptyLeased,
    push: emptyLeased,
    webhooks: emptyLeased,
    day: { sent: 0, dead: 0, failed_share: null, bounces: 0, complaints: 0 },
    alarms: [],
    jobs: null,
    workers: null,
    retention: null,
    tables: [],
  });
});

it('pending rows are counted with the age of the oldest, and failures of a day by their reason', async () => {
  const { database } = supabase();
  await database.exec(`
    insert into private.notification_mails (recipient_id, topic, state, due_at, finished_at, reason) values
      ('${ada.id}', 'digest', 'pending', now() - interval '90 seconds', null, null),
      ('${grace.id}', 'digest', 'pending', now() + interval '1 hour', null, null),
      ('${grace.id}', 'kind:mention', 'retrying', now() - interval '10 seconds', null, 'ECONNREFUSED'),
      ('${ada.id}', 'kind:comment', 'dead', now(), now() - interval '1 hour', 'mailbox full'),
      ('${ada.id}', 'kind:edit', 'dead', now(), now() - interval '3 days', 'long ago');
    alter table private.message_ranges disable trigger announce_outgoing;
    insert into private.messages (id, content, recipient_count, send_at) values
      ('${ada.id}', '{}', 1, now() - interval '30 seconds'), ('${grace.id}', '{}', 1, now() + interval '1 hour');
    insert into private.message_ranges (message_id, lane, due_at)
    select id, lane, send_at from private.messages, unnest('{1,2,2}'::int[]) lane;
    alter table private.message_ranges enable trigger announce_outgoing`);
  const { mails, messages, announcements } = await readHealth();
  expect(mails).toMatchObject({
    waiting: 2,
    retrying: 1,
    dead: 2,
    failures: { ECONNREFUSED: 1, 'mailbox full': 1 },
  });
  expect(mails?.failures).not.toHaveProperty('long ago');
  expect(mails?.oldest_seconds).toBeGreaterThanOrEqual(90);
  expect(mails?.held_seconds).toBe(null);
  expect(messages?.waiting).toBe(1);
  expect(announcements?.waiting).toBe(1);
  expect(messages?.oldest_seconds).toBeGreaterThanOrEqual(30);
});

it.each([
  ['notifications', `(recipient_id, status) values ('${ada.id}', 'read')`, 'public.notifications'],
  ['mail_only_notifications', `values (gen_random_uuid(), '${ada.id}', null, 'edit', null, now())`],
  ['sent_notifications', `(sender_id, recipient_id, created_at) values ('${ada.id}', '${grace.id}', now())`],
  ['tombstones', `values ('${ada.id}', gen_random_uuid())`, 'private.notification_tombstones'],
  [
    'invitations',
    `(inviter_id, invitee_email, expires_at) values ('${ada.id}', 'x@example.com', now())`,
    'public.invitations',
  ],
  [
    'notification_mails',
    `(recipient_id, topic, state, due_at, finished_at) select '${ada.id}', 'test', s, now(), now() from unnest('{sent,skipped,dead}'::text[]) s`,
  ],
  ['messages', `(content, send_at, state, finished_at) values ('{}', now(), 'delivered', now())`],
  [
    'outgoing_notifications',
    `(sender_id, recipient_id, created_at, due_at) values ('${ada.id}', '${grace.id}', now(), 'infinity')`,
  ],
  [
    'push_messages',
    `(subscription_id, state, due_at, finished_at) select id, s, now(), now() from public.push_subscriptions, unnest('{sent,skipped,dead}'::text[]) s`,
  ],
  [
    'webhooks',
    `(endpoint_id, event, state, finished_at) select id, 'mail.bounced', s, now() from private.webhook_endpoints, unnest('{sent,skipped,dead}'::text[]) s`,
  ],
])('the health names %s that retention has left', async (name, row, table = `private.${name}`) => {
  const late: unknown[] = [];
  const undone = supabase().database.transaction(async (sql) => {
    await sql.query('delete from public.notifications');
    await sql.query('delete from private.notification_tombstones');
    await sql.query(
      `insert into public.push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
       values ('${ada.id}', gen_random_uuid(), 'https://push.example.com/h', repeat('a', 87), repeat('a', 22))`,
    );
    await sql.query(
      `insert into private.webhook_endpoints (url, events) values ('https://hooks.example.com/h', '{mail.bounced}')`,
    );
    // What retention keeps.
    await sql.query(`insert into public.notifications (recipient_id) values ('${ada.id}')`);
    await sql.query(`insert into private.messages (content, send_at) values ('{}', now())`);
    await sql.query(
      `insert into private.outgoing_notifications (sender_id, recipient_id, created_at, due_at) values ('${ada.id}', '${grace.id}', now(), '2999-01-01')`,
    );
    await sql.query(
      `insert into private.notification_mails (recipient_id, topic, state, due_at) values ('${ada.id}', 'test', 'retrying', now())`,
    );
    await sql.query(
      `insert into private.push_messages (subscription_id, state, due_at) select id, 'retrying', now() from public.push_subscriptions`,
    );
    await sql.query(
      `insert into private.webhooks (endpoint_id, event) select id, 'mail.bounced' from private.webhook_endpoints`,
    );
    const [health] = await sql.query<{ health: unknown }>(
      `select private.retention_health(now() + interval '400 days') as health`,
    );
    await sql.query(`insert into ${table} ${row}`);
    const [left] = await sql.query<{ health: unknown }>(
      `select private.retention_health(now() + interval '400 days') as health`,
    );
    late.push(health?.health, left?.health);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(late).toEqual([null, { table: name, behind_seconds: expect.any(Number) }]);
});

it('the mails and suppressions of the last day are counted by their outcome', async () => {
  await supabase().database.exec(`
    delete from private.suppressed_addresses;
    insert into private.notification_mails (recipient_id, topic, state, due_at, finished_at)
    select '${ada.id}', 'test', state, now(), now() - age
    from (values ('sent', '1 hour'), ('sent', '2 hours'), ('sent', '25 hours'), ('dead', '1 hour'), ('dead', '25 hours'), ('skipped', '1 hour')) given (state, text)
    cross join lateral (select text::interval) parsed (age);
    insert into private.suppressed_addresses (address_hash, reason, created_at)
    select reason || text, reason, now() - text::interval
    from (values ('bounce', '1 hour'), ('bounce', '25 hours'), ('complaint', '1 hour'), ('complaint', '2 hours')) given (reason, text)`);
  const health = await readHealth();
  await supabase().database.exec('delete from private.suppressed_addresses');
  expect(health['day']).toEqual({ sent: 2, dead: 1, failed_share: 0.3333, bounces: 1, complaints: 2 });
});

const alarms = async () => (await readHealth())['alarms'] as unknown as readonly string[];

it.each([
  [
    'mails_held',
    `insert into private.notification_mails (recipient_id, topic, state, due_at, held_since)
     values ('${ada.id}', 'digest', 'retrying', now() + interval '1 minute', now() - interval '2 hours')`,
  ],
  [
    'mails_fail',
    `insert into private.notification_mails (recipient_id, topic, state, due_at, finished_at)
     select '${ada.id}', 'test', case when n > 100 then 'dead' else 'sent' end, now(), now() from generate_series(1, 112) n`,
  ],
  [
    'addresses_bounce',
    `select public.suppress_mail_address('a' || n || '@example.com', 'bounce') from generate_series(1, 21) n`,
  ],
  [
    'recipients_complain',
    `select public.suppress_mail_address('a' || n || '@example.com', 'complaint') from generate_series(1, 6) n`,
  ],
  [
    'retention_late',
    `insert into private.notification_mails (recipient_id, topic, state, due_at, finished_at)
     values ('${ada.id}', 'test', 'sent', now(), now() - interval '32 days')`,
  ],
  [
    'mails_late',
    `insert into private.notification_mails (recipient_id, topic, due_at)
     values ('${ada.id}', 'test', now() - interval '16 minutes')`,
  ],
  ...(['webhooks_late', 'webhooks_fail'] as const).map((name): [string, string] => [
    name,
    `with endpoint as (
       insert into private.webhook_endpoints (url, events) values ('https://hooks.example.com/x', '{mail.bounced}') returning id
     )
     insert into private.webhooks (endpoint_id, event, state, due_at, finished_at)
     select id, 'mail.bounced', ${name === 'webhooks_late' ? `'pending'` : `'dead'`}, now() - interval '2 minutes', now() from endpoint`,
  ]),
])('the alarm %s fires, and no other', async (name, sql) => {
  const { database } = supabase();
  await database.exec('delete from private.suppressed_addresses');
  // The server's timers delete and send what is late, but never within a transaction.
  const health = await database.transaction(async (transaction) => {
    await transaction.query(sql);
    return transaction.query('select public.queue_health() as health');
  });
  expect(health).toMatchObject([{ health: { alarms: [name] } }]);
  await database.exec('delete from private.suppressed_addresses');
});

it.each([
  ['outgoing_late', { outgoing: { oldest_seconds: 6 } }, { outgoing: { oldest_seconds: 5 } }],
  ['messages_late', { messages: { oldest_seconds: 6 } }, { messages: { oldest_seconds: 5 } }],
  ['push_late', { push: { oldest_seconds: 61 } }, { push: { oldest_seconds: 60 } }],
  ['webhooks_late', { webhooks: { oldest_seconds: 61 } }, { webhooks: { oldest_seconds: 60 } }],
  ['webhooks_fail', { webhooks: { dead: 1 } }, { webhooks: { dead: 0 } }],
  ['mails_late', { mails: { oldest_seconds: 901 } }, { mails: { oldest_seconds: 900 } }],
  ['mails_held', { mails: { held_seconds: 3601 } }, { mails: { held_seconds: 3600 } }],
  ['push_held', { push: { held_seconds: 3601 } }, { push: { held_seconds: 3600 } }],
  ['mails_fail', { day: { failed_share: 0.0501, dead: 10 } }, { day: { failed_share: 0.05, dead: 1000 } }],
  ['mails_fail', { day: { failed_share: 1, dead: 10 } }, { day: { failed_share: 1, dead: 9 } }],
  ['addresses_bounce', { day: { bounces: 21, sent: 0 } }, { day: { bounces: 20, sent: 0 } }],
  ['recipients_complain', { day: { complaints: 6, sent: 0 } }, { day: { complaints: 5, sent: 0 } }],
  ['retention_late', { retention: { behind_seconds: 86_401 } }, { retention: { behind_seconds: 86_400 } }],
  ['job_runs_long', { jobs: [{ running_seconds: 601 }] }, { jobs: [{ running_seconds: 600 }] }],
  ['worker_fails', { workers: [{ status: 400 }] }, { workers: [{ status: 399, error: null }] }],
  ['job_fails', { jobs: [{ last_status: 'failed' }] }, { jobs: [{ last_status: 'succeeded' }] }],
  ['job_runs_long', { jobs: [{ running_seconds: 601 }] }, { jobs: [{ running_seconds: null }] }],
  [
    'worker_fails',
    { workers: [{ status: 404, error: 'not found' }] },
    { workers: [{ status: 200, error: null }] },
  ],
  [
    'worker_fails',
    { workers: [{ status: null, error: 'Timeout' }] },
    { workers: [{ status: null, error: null }] },
  ],
  [
    'recipients_complain',
    { day: { complaints: 11, sent: 10_000 } },
    { day: { complaints: 10, sent: 10_000 } },
  ],
  ['addresses_bounce', { day: { bounces: 201, sent: 10_000 } }, { day: { bounces: 200, sent: 10_000 } }],
  ['tables_bloated', { tables: [{ name: 'public.notifications' }] }, { tables: [] }],
])('the alarm %s fires at %j, and not at %j', async (name, loud, silent) => {
  const [row] = await supabase().database.query<{ loud: unknown; silent: unknown }>(
    'select private.alarms($1) as loud, private.alarms($2) as silent',
    [JSON.stringify(loud), JSON.stringify(silent)],
  );
  expect(row).toEqual({ loud: [name], silent: [] });
});

it.each([
  ['responds to no mail', 60, ['mails_held']],
  ['was not reached before the end of a run', 0, []],
])('a provider that %s for two hours fires %j', async (_, retryAfterSeconds, names) => {
  const { database } = supabase();
  await database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at) values ($1, 'test', now())`,
    [ada.id],
  );
  const [row] = await database.query<{ claim: { mails: readonly [{ id: string; lease: string }] } }>(
    'select claim_notification_mails() as claim',
  );
  const [mail] = row?.claim.mails ?? [];
  await database.query(
    `select finish_notification_mail($1, $2, 'delayed', 'down', now() - interval '2 hours', $3)`,
    [mail?.id, mail?.lease, retryAfterSeconds],
  );
  await database.exec(`update private.notification_mails set due_at = now() + interval '1 minute'`);
  expect(await alarms()).toEqual(names);
});

it('the health of a day has neither addresses that were suppressed before, nor unread notifications that are kept', async () => {
  const { database } = supabase();
  await database.exec(`
    delete from private.suppressed_addresses; delete from notifications;
    insert into private.suppressed_addresses (address_hash, reason, created_at)
      values ('old', 'bounce', now() - interval '25 hours'), ('new', 'bounce', now() - interval '23 hours');
    insert into notifications (recipient_id, updated_at) values ('${ada.id}', now() - interval '200 days')`);
  const { day, retention } = await readHealth();
  await database.exec('delete from private.suppressed_addresses; delete from notifications');
  expect(day).toMatchObject({ bounces: 1, complaints: 0 });
  expect(retention).toBeNull();
});

it('what users sent counts as late, retried or dead, and a leased mail as one that is being sent', async () => {
  const { database } = supabase();
  const health: unknown[] = [];
  const undone = database.transaction(async (sql) => {
    await sql.query(
      `insert into private.outgoing_notifications (sender_id, recipient_id, created_at, due_at)
       select '${ada.id}', '${grace.id}', now() - interval '7 seconds', due_at
       from unnest(array[now(), now() + interval '1 hour', now() + interval '2 hours', 'infinity']) due_at`,
    );
    await sql.query(
      `insert into private.notification_mails (recipient_id, topic, state, due_at, lease, lease_until, held_since)
       values ('${ada.id}', 'test', 'sending', now(), gen_random_uuid(), now() + interval '1 minute', now() - interval '9 hours')`,
    );
    health.push(...(await sql.query('select queue_health() as health')));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(health).toMatchObject([
    {
      health: {
        alarms: ['outgoing_late'],
        outgoing: { waiting: 1, oldest_seconds: 7, retrying: 2, dead: 1 },
        mails: { waiting: 0, sending: 1, retrying: 0, held_seconds: null },
      },
    },
  ]);
});

it('an announcement that waits does not count as a waiting message', async () => {
  const { database } = supabase();
  await database.exec(`
    alter table private.message_ranges disable trigger announce_outgoing;
    insert into private.messages (id, content, is_for_everyone, send_at) values ('${ada.id}', '{}', true, now());
    insert into private.message_ranges (message_id, lane, due_at)
      select '${ada.id}', lane, now() - interval '1 minute' from generate_series(2, 3) lane;
    alter table private.message_ranges enable trigger announce_outgoing`);
  const { messages, announcements } = await readHealth();
  expect([messages?.waiting, announcements?.waiting]).toEqual([0, 1]);
});

it('the health of retention names the table that is the furthest behind', async () => {
  const { database } = supabase();
  await database.exec(`
    insert into private.sent_notifications (sender_id, recipient_id, created_at) values ('${ada.id}', '${grace.id}', '2026-01-01Z');
    insert into private.notification_mails (recipient_id, topic, state, due_at, finished_at)
      values ('${ada.id}', 'test', 'sent', now(), '2026-03-07Z')`);
  const [row] = await database.query(`select private.retention_health('2026-04-11Z') as retention`);
  await database.exec('delete from private.sent_notifications');
  expect(row?.['retention']).toEqual({ table: 'sent_notifications', behind_seconds: 10 * 86_400 });
});

it('the health of a job has the end of its last run, and how long the present one takes', async () => {
  const { database } = supabase();
  await database.exec(`
    create schema cron; create table cron.job (jobid bigint, jobname text, schedule text);
    create table cron.job_run_details
      (runid bigint, jobid bigint, status text, return_message text, start_time timestamptz, end_time timestamptz);
    insert into cron.job values (1, 'delivery', '1 second');
    insert into cron.job_run_details values
      (1, 1, 'failed', 'no such table', '2026-01-01T11:57Z', '2026-01-01T11:58Z'),
      (2, 1, 'running', null, '2026-01-01T11:59Z', null)`);
  const [row] = await database.query(`select private.job_health('2026-01-01T12:00Z') as jobs`);
  await database.exec('drop schema cron cascade');
  expect(row).toMatchObject({
    jobs: [{ name: 'delivery', last_status: 'failed', last_message: 'no such table', running_seconds: 60 }],
  });
});

it('a worker runs until its call has a response, 150 seconds at most, and the health says how it ended', async () => {
  const { database } = supabase();
  await database.exec(`
    create schema net;
    create table net._http_response (id bigint, status_code integer, content text, error_msg text);
    insert into private.worker_calls values
      ('notification-mails', 1, 1, now()), ('notification-mails', 2, 2, now()), ('notification-mails', 3, 3, now() - interval '151 seconds'),
      ('notification-mails', 4, 4, now());
    insert into net._http_response values (2, 404, 'no such function', null), (4, null, null, 'Timeout was reached');
  `);
  try {
    const running = await database.query(
      `select w, private.is_worker_running('notification-mails', w) as runs from generate_series(1, 4) w`,
    );
    expect(running).toEqual([1, 2, 3, 4].map((w) => ({ w, runs: w === 1 })));
    const health = await readHealth();
    expect(health['workers']).toMatchObject([
      { name: 'notification-mails', worker: 1, status: null, error: null },
      { worker: 2, status: 404, error: 'no such function' },
      { worker: 3, status: null, error: null },
      { worker: 4, status: null, error: 'Timeout was reached' },
    ]);
    expect(health['alarms']).toEqual(['worker_fails']);
  } finally {
    await database.exec('drop schema net cascade; delete from private.worker_calls');
  }
});

it.each([
  [
    'mail',
    'notification-mails',
    `insert into private.notification_mails (recipient_id, topic, due_at) values ('${ada.id}', 'test', now())`,
  ],
  [
    'push',
    'notification-push',
    `with subscription as (
       insert into public.push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
       values ('${ada.id}', gen_random_uuid(), 'https://push.example/x', repeat('A', 87), repeat('A', 22)) returning id
     )
     insert into private.push_messages (subscription_id, due_at) select id, now() from subscription`,
  ],
  [
    'webhook',
    'notification-webhooks',
    `with endpoint as (
       insert into private.webhook_endpoints (url, events) values ('https://hooks.example.com/x', '{mail.bounced}') returning id
     )
     insert into private.webhooks (endpoint_id, event) select id, 'mail.bounced' from endpoint`,
  ],
])(
  'the timer calls a %s worker while something is due and its own last run has ended',
  async (queue, name, addDue) => {
    const { database } = supabase();
    await database.exec(`
    create schema net;
    select vault.create_secret('http://project', 'project_url'), vault.create_secret('s', 'worker_secret');
    create table net.requests
      (id bigint generated always as identity (start with 10), url text, body jsonb, headers jsonb, timeout integer);
    create table net._http_response (id bigint, status_code integer, content text, error_msg text);
    create function net.http_post(
      url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 1000
    ) returns bigint language sql security definer as $$
      insert into net.requests (url, body, headers, timeout) values (url, body, headers, timeout_milliseconds) returning id $$;
    insert into private.worker_calls
      select n, 1, 1, now() from unnest(array['notification-mails', 'notification-push', 'notification-webhooks']) n where n <> '${name}'`);
    const callTwice = async () => {
      await database.exec(`select private.call_${queue}_worker(); select private.call_${queue}_worker()`);
      return database.query('delete from net.requests returning url, body, headers, timeout');
    };
    const continueWorker = () => database.query(`select public.continue_worker('${name}', 2) as is_started`);
    const called = [
      {
        url: `http://project/functions/v1/${name}`,
        body: { worker: 1 },
        headers: { 'x-worker-secret': 's', 'content-type': 'application/json' },
        timeout: 150_000,
      },
    ];
    try {
      expect(await callTwice()).toEqual([]);
      expect(await continueWorker()).toEqual([{ is_started: false }]);
      await database.exec(addDue);
      expect(await continueWorker()).toEqual([{ is_started: true }]);
      expect(await database.query('delete from net.requests returning body')).toEqual([
        { body: { worker: 2 } },
      ]);
      expect(await callTwice()).toEqual(called);
      await database.exec('insert into net._http_response (id) select request_id from private.worker_calls');
      expect(await callTwice()).toEqual(called);
    } finally {
      await database.exec(
        'drop schema net cascade; delete from vault.secrets; delete from private.worker_calls; delete from public.push_subscriptions',
      );
    }
  },
);

it('only the service reads the health of the queues', async () => {
  expect((await ask(supabase().publishableKey)).status).toBe(401);
});

it('the health names tables with more than 10,000 dead rows and 40 % of the living, the worst first', async () => {
  const { database } = supabase();
  await database.exec(`
    create schema other;
    create table other.dead (id int); create table public.dead (id int); create table private.dead (id int); create table public.living (id int);
    insert into other.dead select generate_series(1, 10003); delete from other.dead;
    insert into public.dead select generate_series(1, 10001); delete from public.dead;
    insert into private.dead select generate_series(1, 10002); delete from private.dead;
    insert into public.living select generate_series(1, 36000); delete from public.living where id <= 10001`);
  await database.query('select pg_stat_force_next_flush()');
  const { tables } = await readHealth();
  await database.exec(
    'drop schema other cascade; drop table public.dead; drop table private.dead; drop table public.living',
  );
  expect(tables).toEqual([
    { name: 'private.dead', dead: 10_002, live: 0, vacuumed_at: null },
    { name: 'public.dead', dead: 10_001, live: 0, vacuumed_at: null },
  ]);
});

it('at most 10,000 rows of each queue are counted', async () => {
  const counted: unknown[] = [];
  const undone = supabase().database.transaction(async (sql) => {
    // Without triggers and foreign keys.
    await sql.query('set local session_replication_role = replica');
    for (const insert of [
      `private.notification_mails (recipient_id, topic, state, due_at, finished_at, reason)
       select '${ada.id}', 'test', state, now(), case state when 'dead' then now() end, 'down'
       from unnest('{retrying,dead}'::text[]) state, `,
      `private.suppressed_addresses (address_hash, reason) select n::text, 'bounce' from `,
      `private.outgoing_notifications (sender_id, recipient_id, created_at, due_at)
       select '${ada.id}', '${grace.id}', now(), due_at from unnest(array[now(), now() + interval '1 hour']) due_at, `,
      `private.message_ranges (message_id, lane, due_at) select gen_random_uuid(), lane, now() from unnest('{1,2}'::int[]) lane, `,
    ])
      await sql.query(`insert into ${insert} generate_series(1, 10001) n`);
    // The oldest are counted.
    await sql.query(
      `insert into private.notification_mails (recipient_id, topic, due_at) values ('${ada.id}', 'test', now() - interval '1 hour')`,
    );
    await sql.query(
      `insert into private.outgoing_notifications (sender_id, recipient_id, created_at, due_at)
       values ('${ada.id}', '${grace.id}', now() - interval '1 hour', now() - interval '1 hour')`,
    );
    counted.push(...(await sql.query('select queue_health() as health')));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const waiting = 10_000;
  expect(counted).toMatchObject([
    {
      health: {
        mails: { waiting, oldest_seconds: 3600, retrying: 10_000, dead: 10_000, failures: { down: 20_000 } },
        outgoing: { waiting, oldest_seconds: 3600, retrying: 10_000 },
        messages: { waiting },
        announcements: { waiting },
        day: { dead: 10_000, bounces: 10_000 },
      },
    },
  ]);
});

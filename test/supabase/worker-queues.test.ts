import { beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from 'local-supabase';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

beforeAll(() =>
  supabase().database.exec(
    `with session as (insert into auth.sessions (id, user_id) values (gen_random_uuid(), '${ada.id}') returning id)
     insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
     select '${ada.id}', id, 'https://push.example.com/x', repeat('a', 87), repeat('a', 22) from session;
     insert into private.webhook_endpoints (url, events) values ('https://hooks.example.com/x', '{notification.read}')`,
  ),
);

const queues = {
  mails: {
    table: 'private.notification_mails',
    claim: 'claim_notification_mails',
    hasDue: 'has_due_mails',
    finish: 'finish_notification_mail(mail_id => $1, retry_after_seconds => coalesce($5, 0),',
    mostAttempts: 5,
    row: { recipient_id: `'${ada.id}'`, topic: `'test'` },
  },
  'push messages': {
    table: 'private.push_messages',
    claim: 'claim_push_messages',
    hasDue: 'has_due_push_messages',
    finish: 'finish_push_message(message_id => $1, retry_seconds => $5,',
    mostAttempts: 4,
    row: { subscription_id: '(select id from push_subscriptions)' },
  },
  webhooks: {
    table: 'private.webhooks',
    claim: 'claim_webhooks',
    hasDue: 'has_due_webhooks',
    finish: 'finish_webhook(webhook_id => $1, retry_seconds => $5,',
    mostAttempts: 8,
    row: { endpoint_id: '(select id from private.webhook_endpoints)', event: `'notification.read'` },
  },
};

interface Row {
  readonly state: 'pending' | 'retrying' | 'sending' | 'sent' | 'skipped' | 'dead';
  /** In seconds from now; default 1 s ago. */
  readonly due?: number;
  readonly leased?: number | undefined;
  readonly attempts?: number;
}

const insert = (
  sql: Sql,
  name: keyof typeof queues,
  { state, due = -1, leased, attempts = 0 }: Row,
  place = 0,
) => {
  const { table, row } = queues[name];
  return sql.query<{ id: string; lease: string }>(
    `insert into ${table} (${Object.keys(row).join()}, state, due_at, attempts, lease, lease_until, finished_at, created_at)
     select ${Object.values(row).join()}, $1, now() + make_interval(secs => $2), $3,
       case when $1 = 'sending' then gen_random_uuid() end, now() + make_interval(secs => $4),
       case when $1 in ('sent', 'skipped', 'dead') then now() end, now() + make_interval(secs => $5)
     returning id, lease`,
    [state, due, attempts, leased ?? null, place],
  );
};

/** Fills an empty queue and claims two rows, before the workers of the service see them. Returns which of them changed, and how. */
const claimTwo = (name: keyof typeof queues, rows: readonly Row[]) =>
  supabase().database.transaction(async (sql) => {
    const { table, claim } = queues[name];
    await sql.query(`delete from ${table}`);
    for (const [place, row] of rows.entries()) await insert(sql, name, row, place);
    await sql.query(`select ${claim}(2, 60)`);
    const after = await sql.query<{ attempts: number; state: string }>(
      `select attempts, state from ${table} order by created_at`,
    );

    await sql.query(`delete from ${table}`);
    return after.map(({ attempts, state }, place) => {
      if (attempts > (rows[place]?.attempts ?? 0)) return 'claimed';
      return state === rows[place]?.state ? 'unchanged' : state;
    });
  });

describe.each(['mails', 'push messages', 'webhooks'] as const)('the queue of %s', (name) => {
  const { mostAttempts } = queues[name];

  it('is claimed in batches of what is due, the earliest first', async () => {
    const states = ['retrying', 'pending', 'retrying', 'retrying'] as const;
    const rows = states.map((state, place) => ({ state, due: place - 4 })).toReversed();
    expect(await claimTwo(name, rows)).toEqual(['unchanged', 'unchanged', 'claimed', 'claimed']);
  });

  it('is claimed in batches of what lost its lease, the earliest first', async () => {
    const rows = [-1, -3, -2].map((leased) => ({ state: 'sending', due: leased, leased }) as const);
    expect(await claimTwo(name, rows)).toEqual(['unchanged', 'claimed', 'claimed']);
  });

  it('sets aside in batches the rows that lost their lease at the last attempt, the earliest first', async () => {
    const rows = [-1, -3, -2].map(
      (leased) => ({ state: 'sending', due: 60, leased, attempts: mostAttempts }) as const,
    );
    expect(await claimTwo(name, rows)).toEqual(['unchanged', 'dead', 'dead']);
  });

  it('keeps what is not due, leased or finished', async () => {
    const rows: readonly Row[] = [
      { state: 'pending', due: 60 },
      { state: 'retrying', due: 60 },
      { state: 'sending', leased: 60 },
      { state: 'sending', leased: 60, attempts: mostAttempts },
      ...(['sent', 'skipped', 'dead'] as const).map((state) => ({ state, leased: -1 })),
      { state: 'sent', leased: -1, attempts: mostAttempts },
    ];
    expect(await claimTwo(name, rows)).toEqual(rows.map(() => 'unchanged'));
  });
});

it.each([
  ['mails', 'pending'],
  ['push messages', 'retrying'],
  ['webhooks', 'sent'],
] as const)('a row of %s has a lease and its end exactly while it is sending', async (name, other) => {
  const { table } = queues[name];
  const change = (state: string, values: string) =>
    supabase().database.transaction(async (sql) => {
      await sql.query(`delete from ${table}`);
      await insert(sql, name, { state, leased: 60 } as Row);
      await sql.query(`update ${table} set ${values}`);
      await sql.query(`delete from ${table}`);
    });
  for (const [state, values] of [
    ['sending', 'lease = null'],
    ['sending', 'lease_until = null'],
    ['sending', `state = '${other}'`],
    [other, `state = 'sending'`],
  ] as const)
    await expect(change(state, values), `${state}: ${values}`).rejects.toMatchObject({ code: '23514' });
});

it.each(['mails', 'push messages', 'webhooks'] as const)(
  'an outcome of %s that is unknown or null is refused, and changes no row',
  async (name) => {
    const { table, finish } = queues[name];
    await supabase().database.query(`delete from ${table}`);
    const [row] = await insert(supabase().database, name, { state: 'sending', leased: 60 });
    for (const outcome of ['lost', null])
      await expect(
        supabase().database.query(
          `select ${finish} lease => $2, outcome => $3, reason => $4, called_at => now())`,
          [row?.id, row?.lease, outcome, null, 0],
        ),
      ).rejects.toMatchObject({ code: 'PT400', message: 'outcome_invalid' });
    const rows = await supabase().database.query(`select state from ${table}`);
    expect(rows).toEqual([{ state: 'sending' }]);
    await supabase().database.query(`delete from ${table}`);
  },
);

/** Whether the workers have something to do in a queue of one row. */
const hasDue = (name: keyof typeof queues, row: Row, calledIn = 0) =>
  supabase().database.transaction(async (sql) => {
    await sql.query(`delete from ${queues[name].table}`);
    await insert(sql, name, row);
    const [due] = await sql.query(
      `select private.${queues[name].hasDue}(now() + make_interval(secs => $1)) as is_due`,
      [calledIn],
    );
    await sql.query(`delete from ${queues[name].table}`);
    return due;
  });

describe.each(['mails', 'push messages', 'webhooks'] as const)('the workers of %s', (name) => {
  it.each<[Row, boolean]>([
    [{ state: 'pending' }, true],
    [{ state: 'retrying' }, true],
    [{ state: 'sending', leased: -1 }, true],
    [{ state: 'pending', due: 60 }, false],
    [{ state: 'retrying', due: 60 }, false],
    [{ state: 'sending', leased: 60 }, false],
    [{ state: 'dead' }, false],
  ])('are started for %j: %s', async (row, isDue) => {
    expect(await hasDue(name, row)).toEqual({ is_due: isDue });
  });

  it('are started by the time of the call for what is due, and by the clock of the database for a lease', async () => {
    expect(await hasDue(name, { state: 'pending', due: 60 }, 120)).toEqual({ is_due: true });
    expect(await hasDue(name, { state: 'sending', leased: 60 }, 120)).toEqual({ is_due: false });
  });
});

it.each([
  ['mails', 'mails'],
  ['push messages', 'push'],
  ['webhooks', 'webhooks'],
] as const)(
  'dead %s are sent again by a call, all, named ones, or those that died since a time',
  async (name, key) => {
    const { table } = queues[name];
    const resent = await supabase().database.transaction(async (sql) => {
      const counts: unknown[] = [];
      for (const args of [
        'null',
        `null, now() - interval '1 hour'`,
        `array(select id from ${table} where due_at < now())`,
        'array[gen_random_uuid()]',
      ]) {
        await sql.query(`delete from ${table}`);
        for (const state of ['dead', 'dead', 'sent'] as const) await insert(sql, name, { state, due: 60 });
        await insert(sql, name, { state: 'dead' });
        await sql.query(`update ${table} set finished_at = now() - interval '2 hours' where due_at < now()`);
        const [row] = await sql.query<{ count: number }>(
          `select (resend_dead_letters(${args}) ->> '${key}')::int as count`,
        );
        const [due] = await sql.query<{ count: number }>(
          `select count(*)::int from ${table} where state = 'retrying' and due_at = now() and finished_at is null and attempts = 0`,
        );
        counts.push([row?.count, due?.count]);
      }
      await sql.query(`delete from ${table}`);
      return counts;
    });
    expect(resent).toEqual([
      [3, 3],
      [2, 2],
      [1, 1],
      [0, 0],
    ]);
  },
);

it.each([
  [
    'mails',
    'a transient failure',
    '55P03',
    1,
    { state: 'retrying', delay: 60, length: 500, is_finished: false },
  ],
  ['push messages', 'a transient failure', '55P03', 3, { state: 'retrying', delay: 960, is_finished: false }],
  ['webhooks', 'the last attempt', '55P03', 8, { state: 'dead', delay: -1, is_finished: true }],
  ['mails', 'a permanent failure', '22P02', 1, { state: 'dead', delay: -1, length: 500, is_finished: true }],
] as const)('%s that cannot be written are taken back after %s', async (name, _, code, attempts, row) => {
  const { table, mostAttempts } = queues[name];
  const rows = await supabase().database.transaction(async (sql) => {
    await sql.query(`delete from ${table}`);
    const [first] = await insert(sql, name, { state: 'sending', leased: 60, attempts });
    await insert(sql, name, { state: 'sending', leased: 60, attempts }, 1);
    await sql.query(`select private.take_back($1::text::regclass, $2, $3, $4, $5, now())`, [
      table,
      first?.id,
      mostAttempts,
      code,
      'x'.repeat(501),
    ]);
    const all = await sql.query(
      `select state, round(extract(epoch from due_at - now()))::int as delay, length(reason) as length,
         finished_at is not null as is_finished from ${table} order by created_at`,
    );
    await sql.query(`delete from ${table}`);
    return all;
  });
  expect(rows).toMatchObject([row, { state: 'sending', delay: -1, length: null }]);
});

interface Acknowledgment {
  readonly outcome: string;
  readonly attempts?: number;
  /** For how many seconds the row has been held. */
  readonly heldFor?: number;
  /** When to try again, in seconds. */
  readonly retryIn?: number;
}

/** With this seed, the next random number is 0.5. */
let seed = 0;
beforeAll(async () => {
  const [found] = await supabase().database.query<{ seed: number }>(
    `select seed from (
       select n / 100000.0::float as seed, setseed(n / 100000.0), random() as next from generate_series(0, 100000) n offset 0
     ) tried order by abs(next - 0.5) limit 1`,
  );
  seed = found?.seed ?? 0;
});

/** Acknowledges the first of two leased rows. Returns what becomes of it, with its delay in seconds. */
const acknowledge = (
  name: keyof typeof queues,
  { outcome, attempts = 1, heldFor, retryIn }: Acknowledgment,
) =>
  supabase().database.transaction(async (sql) => {
    const { table, finish } = queues[name];
    await sql.query(`delete from ${table}`);
    const [row] = await insert(sql, name, { state: 'sending', leased: 60, attempts });
    const [other] = await insert(sql, name, { state: 'sending', leased: 60, attempts }, 1);
    if (heldFor !== undefined)
      await sql.query(`update ${table} set held_since = now() - make_interval(secs => $1)`, [heldFor]);
    const [finished] = await sql.query<{ is_changed: boolean }>(
      `select setseed($6), ${finish} lease => $2, outcome => $3, reason => $4, called_at => now()) as is_changed`,
      [row?.id, row?.lease, outcome, 'x'.repeat(501), retryIn ?? null, seed],
    );
    expect(finished?.is_changed).toBe(true);
    const [changed, unchanged] = await sql.query(
      `select q.state, q.attempts, round(extract(epoch from q.due_at - now()))::int as delay, length(q.reason) as length,
         q.finished_at is not null as is_finished, q.lease is not null as is_leased
       from unnest($1::uuid[]) with ordinality given (id, place) left join ${table} q on q.id = given.id order by given.place`,
      [[row?.id, other?.id]],
    );
    await sql.query(`delete from ${table}`);
    expect(unchanged).toMatchObject({ state: 'sending', attempts, is_leased: true, length: null });
    return changed;
  });

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** By the attempts so far: the delay of the next one. */
const backoffs: readonly [keyof typeof queues, readonly number[]][] = [
  ['mails', [minute, 4 * minute, 16 * minute, 64 * minute]],
  ['push messages', [15, minute, 4 * minute]],
  ['webhooks', [minute, 4 * minute, 16 * minute, 64 * minute, 256 * minute, 12 * hour, 12 * hour]],
];

it.each(backoffs)('%s that fail are retried after %j seconds, and then dead', async (name, delays) => {
  for (const [place, delay] of delays.entries())
    expect(await acknowledge(name, { outcome: 'failed', attempts: place + 1 })).toEqual({
      state: 'retrying',
      attempts: place + 1,
      length: 500,
      is_finished: false,
      is_leased: false,
      delay,
    });
  expect(await acknowledge(name, { outcome: 'failed', attempts: delays.length + 1 })).toMatchObject({
    state: 'dead',
    attempts: delays.length + 1,
    delay: -1,
    length: 500,
    is_finished: true,
    is_leased: false,
  });
});

it.each<[keyof typeof queues, Acknowledgment, object]>([
  ['mails', { outcome: 'failed', retryIn: hour }, { state: 'retrying', attempts: 1, delay: hour }],
  ['mails', { outcome: 'delayed' }, { state: 'retrying', attempts: 0, delay: 0 }],
  ['mails', { outcome: 'delayed', retryIn: 90 }, { state: 'retrying', attempts: 0, delay: 90 }],
  ['mails', { outcome: 'held' }, { state: 'retrying', attempts: 0, delay: minute }],
  ['mails', { outcome: 'held', heldFor: 2 * hour }, { state: 'retrying', delay: hour / 2 }],
  ['mails', { outcome: 'held', heldFor: 30 * day - minute }, { state: 'retrying', delay: hour }],
  ['mails', { outcome: 'held', heldFor: 30 * day }, { state: 'dead', is_finished: true }],
  ['mails', { outcome: 'refused' }, { state: 'dead', attempts: 1, is_finished: true }],
  ['mails', { outcome: 'sent' }, { state: 'sent', attempts: 1, is_finished: true }],
  ['push messages', { outcome: 'failed', retryIn: 5 }, { state: 'retrying', attempts: 1, delay: 5 }],
  ['push messages', { outcome: 'failed', retryIn: 0 }, { state: 'retrying', delay: 1 }],
  ['push messages', { outcome: 'failed', retryIn: 2 * hour }, { state: 'retrying', delay: hour }],
  ['push messages', { outcome: 'held' }, { state: 'retrying', attempts: 0, delay: 15 }],
  ['push messages', { outcome: 'held', heldFor: 10 * minute }, { state: 'retrying', delay: 5 * minute }],
  ['push messages', { outcome: 'held', heldFor: day - minute }, { state: 'retrying', delay: hour }],
  ['push messages', { outcome: 'held', heldFor: day }, { state: 'dead', is_finished: true }],
  ['push messages', { outcome: 'refused' }, { state: 'dead', attempts: 1, is_finished: true }],
  ['push messages', { outcome: 'sent' }, { state: 'sent', attempts: 1, is_finished: true }],
  ['webhooks', { outcome: 'failed', retryIn: 5 }, { state: 'retrying', attempts: 1, delay: 5 }],
  ['webhooks', { outcome: 'failed', retryIn: 0 }, { state: 'retrying', delay: 1 }],
  ['webhooks', { outcome: 'failed', retryIn: day }, { state: 'retrying', delay: 12 * hour }],
  ['webhooks', { outcome: 'sent' }, { state: 'sent', attempts: 1, is_finished: true }],
])('%s that are acknowledged by %j become %j', async (name, acknowledgment, row) => {
  expect(await acknowledge(name, acknowledgment)).toMatchObject({ ...row, is_leased: false });
});

it.each([
  ['sending', true],
  ['retrying', true],
  ['pending', false],
  ['sent', false],
  ['skipped', false],
  ['dead', false],
] as const)('a mail that is %s is acknowledged as sent without its lease: %s', async (state, isChanged) => {
  const changed = await supabase().database.transaction(async (sql) => {
    await sql.query('delete from private.notification_mails');
    const [row] = await insert(sql, 'mails', { state, leased: state === 'sending' ? 60 : undefined });
    const [finished] = await sql.query(
      `select finish_notification_mail($1, gen_random_uuid(), 'sent') as is_changed`,
      [row?.id],
    );
    await sql.query('delete from private.notification_mails');
    return finished;
  });
  expect(changed).toEqual({ is_changed: isChanged });
});

it.each(['mails', 'push messages', 'webhooks'] as const)(
  '%s are not acknowledged with the lease of another worker, nor twice',
  async (name) => {
    const outcomes = await supabase().database.transaction(async (sql) => {
      const [row] = await insert(sql, name, { state: 'sending', leased: 60 });
      const finish = async (lease: string | undefined) => {
        const [finished] = await sql.query<{ is_changed: boolean }>(
          `select ${queues[name].finish} lease => $2, outcome => $3, reason => $4) as is_changed`,
          [row?.id, lease, 'failed', null, null],
        );
        return finished?.is_changed;
      };
      return [await finish(crypto.randomUUID()), await finish(row?.lease), await finish(row?.lease)];
    });
    expect(outcomes).toEqual([false, true, false]);
  },
);

import { beforeAll, describe, expect, it } from 'vitest';
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
    mostAttempts: 5,
    row: { recipient_id: `'${ada.id}'`, topic: `'test'` },
  },
  'push messages': {
    table: 'private.push_messages',
    claim: 'claim_push_messages',
    mostAttempts: 4,
    row: { subscription_id: '(select id from push_subscriptions)' },
  },
  webhooks: {
    table: 'private.webhooks',
    claim: 'claim_webhooks',
    mostAttempts: 8,
    row: { endpoint_id: '(select id from private.webhook_endpoints)', event: `'notification.read'` },
  },
};

interface Row {
  readonly state: 'pending' | 'retrying' | 'sending' | 'sent' | 'skipped' | 'dead';
  /** In seconds from now; default 1 s ago. */
  readonly due?: number;
  readonly leased?: number;
  readonly attempts?: number;
}

/** Fills an empty queue and claims two rows, before the workers of the service see them. Returns which of them changed, and how. */
const claimTwo = (name: keyof typeof queues, rows: readonly Row[]) =>
  supabase().database.transaction(async (sql) => {
    const { table, claim, row } = queues[name];
    await sql.query(`delete from ${table}`);
    for (const [place, { state, due = -1, leased, attempts = 0 }] of rows.entries())
      await sql.query(
        `insert into ${table} (${Object.keys(row).join()}, state, due_at, attempts, lease, lease_until, finished_at, created_at)
         select ${Object.values(row).join()}, $1, now() + make_interval(secs => $2), $3,
           case when $1 = 'sending' then gen_random_uuid() end, now() + make_interval(secs => $4),
           case when $1 in ('sent', 'skipped', 'dead') then now() end, now() + make_interval(secs => $5)`,
        [state, due, attempts, leased ?? null, place],
      );
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

import { beforeEach, describe, expect, it } from 'vitest';
import { whileDamaged } from '../support/damaged-row.ts';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
// After the database's clock, because mails are due from then on; before November 2032, when the legacy API keys
// expire.
const atMs = Date.parse('2032-01-16T10:00:00Z');
const minuteMs = 60_000;
const at = (timeMs: number) => new Date(timeMs).toISOString();

interface Claimed {
  readonly claimed: number;
  readonly mails: readonly { readonly id: string; readonly lease: string }[];
}

const claim = async (timeMs: number, batchSize = 50): Promise<Claimed> => {
  const [row] = await supabase().database.query<{ result: Claimed }>(
    'select public.claim_notification_mails($1, 120, $2) as result',
    [batchSize, at(timeMs)],
  );
  return row?.result ?? { claimed: 0, mails: [] };
};
const finish = async (mail: { id: string; lease: string } | undefined, outcome: string, timeMs: number) => {
  const [row] = await supabase().database.query<{ changed: boolean }>(
    'select public.finish_notification_mail($1, $2, $3, $4, $5) as changed',
    [mail?.id, mail?.lease, outcome, outcome === 'failed' ? 'no response' : null, at(timeMs)],
  );
  return row?.changed;
};
const queue = () =>
  supabase().database.query<{ state: string; attempts: number; reason: string | null; due_at: Date }>(
    'select state, attempts, reason, due_at from private.notification_mails',
  );
/** Ends the leases by the clock of the database, which alone decides about them. */
const endLeases = () =>
  supabase().database.exec(
    `update private.notification_mails set lease_until = now() - interval '1 second' where state = 'sending'`,
  );
const addDueMails = (count: number) =>
  supabase().database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at, state)
     select $1, 'test', $2, 'retrying' from generate_series(1, $3)`,
    [ada.id, at(atMs), count],
  );

beforeEach(() =>
  supabase().database.exec('delete from notifications; delete from private.notification_mails'),
);

it('a mail that cannot be written is dead, and keeps no other from being claimed', async () => {
  await supabase().database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at) values ($1, 'security:unknown', $2)`,
    [ada.id, at(atMs - minuteMs)],
  );
  await addDueMails(1);
  expect(await claim(atMs)).toMatchObject({ claimed: 2, mails: [{ topic: 'test' }] });
  expect((await queue()).toSorted((a, b) => a.state.localeCompare(b.state))).toMatchObject([
    { state: 'dead', reason: expect.stringContaining('uuid') },
    { state: 'sending' },
  ]);
});

it('a mail whose rows are damaged is tried five times, and keeps no other from being claimed', async () => {
  await supabase().database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at) values ($1, 'test', $3), ($2, 'test', $3)`,
    [ada.id, grace.id, at(atMs)],
  );
  const ofGrace = () =>
    supabase().database.query(
      'select state, attempts, reason, due_at from private.notification_mails where recipient_id = $1',
      [grace.id],
    );
  await whileDamaged(
    supabase().database,
    'private.mail_payload(private.notification_mails,timestamptz)',
    `mail.recipient_id = '${grace.id}'`,
    async () => {
      expect(await claim(atMs)).toMatchObject({ claimed: 2, mails: [{ address: ada.email }] });
      const retried = {
        state: 'retrying',
        attempts: 1,
        reason: 'damaged',
        due_at: new Date(atMs + minuteMs),
      };
      expect(await ofGrace()).toEqual([retried]);
      expect(await claim(atMs + minuteMs - 1)).toMatchObject({ claimed: 0 });
      for (const minutes of [1, 5, 21, 85]) await claim(atMs + minutes * minuteMs);
      expect(await ofGrace()).toMatchObject([{ state: 'dead', attempts: 5, reason: 'damaged' }]);
    },
  );
});

describe('instant mails', () => {
  /** Notifies Ada of documents, by one statement each or all by one. */
  const notify = (from: number, to: number) =>
    supabase().database.query(
      `insert into notifications (recipient_id, content)
       select $1, json_build_object('type', 'mention', 'entity_type', 'document', 'entity_id', n::text)
       from generate_series($2::int, $3::int) n`,
      [ada.id, from, to],
    );
  const mails = () =>
    supabase().database.query<{ is_digest: boolean; mails: number; items: number }>(
      `select topic = 'digest' as is_digest, count(*)::int as mails, sum(item_count)::int as items
       from private.notification_mails group by 1 order by 1`,
    );

  beforeEach(async () => {
    await supabase().database.query(
      `insert into notification_preferences (user_id, email_digest_frequency) values ($1, 'instant')
       on conflict (user_id) do update set email_digest_frequency = 'instant'`,
      [ada.id],
    );
    return () => supabase().database.exec('delete from notification_preferences');
  });

  it('are one for each entity, whose type and id tell it apart from others', async () => {
    await supabase().database.query(
      `insert into notifications (recipient_id, content)
       select $1, json_build_object('type', 'mention', 'entity_type', type, 'entity_id', '1')::text
       from unnest(array['document', 'task', 'document']) type`,
      [ada.id],
    );
    expect(await mails()).toEqual([{ is_digest: false, mails: 2, items: 3 }]);
  });

  it.each([
    ['one statement', async () => notify(1, 60)],
    [
      'many statements',
      async () => {
        for (let n = 1; n <= 60; n += 1) await notify(n, n);
      },
    ],
  ])('are ten in an hour, and the rest is one digest: by %s', async (_, act) => {
    await act();
    expect(await mails()).toEqual([
      { is_digest: false, mails: 10, items: 10 },
      { is_digest: true, mails: 1, items: 50 },
    ]);
    expect(
      await supabase().database.query(
        `select due_at <= now() + interval '1 hour' as is_within_hour from private.notification_mails where topic = 'digest'`,
      ),
    ).toEqual([{ is_within_hour: true }]);
    // A thread whose mail is pending continues in that mail.
    const [pending] = await supabase().database.query<{ number: number }>(
      `select (n.content::jsonb ->> 'entity_id')::int as number from private.notification_mails m
       join private.notification_mail_items i on i.mail_id = m.id join notifications n on n.id = i.notification_id
       where m.topic <> 'digest' limit 1`,
    );
    await notify(pending?.number ?? 0, pending?.number ?? 0);
    expect((await mails())[0]).toEqual({ is_digest: false, mails: 10, items: 11 });
  });

  it('are counted by threads, not by notifications', async () => {
    await supabase().database.query(
      `insert into notifications (recipient_id, content)
       select $1, json_build_object('type', 'mention', 'entity_type', 'document', 'entity_id', (n % 10)::text)
       from generate_series(1, 20) n`,
      [ada.id],
    );
    expect(await mails()).toEqual([{ is_digest: false, mails: 10, items: 20 }]);
  });

  it.each([
    ['thread:', 'pending', '1 minute', ada.id, true],
    ['kind:', 'pending', '1 minute', ada.id, true],
    ['thread:', 'sent', '59 minutes', ada.id, true],
    ['kind:', 'dead', '59 minutes', ada.id, true],
    ['thread:', 'pending', '1 day', ada.id, true],
    ['kind:', 'pending', '1 day', ada.id, true],
    ['kind:', 'sending', '1 day', ada.id, true],
    ['thread:', 'retrying', '1 day', ada.id, true],
    ['thread:', 'sent', '61 minutes', ada.id, false],
    ['kind:', 'dead', '61 minutes', ada.id, false],
    ['security:', 'pending', '1 minute', ada.id, false],
    ['thread:', 'pending', '1 minute', grace.id, false],
    ['kind:', 'sending', '1 day', grace.id, false],
  ])(
    'after ten mails %s that are %s for %s of %s the next is in the digest: %s',
    async (topic, state, age, id, isFull) => {
      await supabase().database.query(
        `insert into private.notification_mails (recipient_id, topic, state, due_at, created_at, finished_at, lease, lease_until)
       select $1, $2 || n, $3, '2999-01-01', now() - $4::interval, case when $3 in ('sent', 'dead') then now() end,
         case $3 when 'sending' then gen_random_uuid() end, case $3 when 'sending' then '2999-01-01'::timestamptz end
       from generate_series(1, 10) n`,
        [id, topic, state, age],
      );
      await notify(1, 1);
      const [row] = await supabase().database.query<{ count: number }>(
        `select count(*)::int as count from private.notification_mails where topic = 'digest'`,
      );
      expect(row?.count).toBe(isFull ? 1 : 0);
    },
  );

  it('are limited per hour by the operator, and mails that still wait count regardless of their age', async () => {
    await supabase().database.exec('update private.mail_settings set instant_mails_per_hour = 3');
    try {
      await notify(1, 2);
      await supabase().database
        .exec(`update private.notification_mails set created_at = now() - interval '9 hours';
        update private.notification_mails set state = 'retrying' where id = (select id from private.notification_mails limit 1)`);
      await notify(3, 5);
      expect(await mails()).toEqual([
        { is_digest: false, mails: 3, items: 3 },
        { is_digest: true, mails: 1, items: 2 },
      ]);
    } finally {
      await supabase().database.exec('update private.mail_settings set instant_mails_per_hour = default');
    }
  });
});

it('workers that claim at the same time get each mail once', async () => {
  await addDueMails(500);
  const seen: string[] = [];
  const work = async () => {
    for (let batch = await claim(atMs, 7); batch.claimed > 0; batch = await claim(atMs, 7)) {
      for (const mail of batch.mails) {
        seen.push(mail.id);
        await finish(mail, 'sent', atMs);
      }
    }
  };
  await Promise.all(Array.from({ length: 50 }, work));
  expect(seen).toHaveLength(500);
  expect(new Set(seen).size).toBe(500);
  expect(await supabase().database.query('select distinct state from private.notification_mails')).toEqual([
    { state: 'sent' },
  ]);
});

it('workers that stop before they acknowledge leave the mail to another one, after the lease', async () => {
  await addDueMails(1);
  const [first] = (await claim(atMs)).mails;
  // A worker whose clock is ahead takes nothing from the others.
  expect((await claim(atMs + 90 * 86_400_000)).claimed).toBe(0);
  await endLeases();
  const [second] = (await claim(atMs + 2 * minuteMs)).mails;
  expect(second?.id).toBe(first?.id);
  expect(second?.lease).not.toBe(first?.lease);
  expect(await finish(first, 'failed', atMs + 2 * minuteMs)).toBe(false);
  expect(await finish(second, 'sent', atMs + 2 * minuteMs)).toBe(true);
  expect((await claim(atMs + 9 * minuteMs)).claimed).toBe(0);
});

it('workers that are slower than their lease still acknowledge what they sent', async () => {
  await addDueMails(1);
  const [slow] = (await claim(atMs)).mails;
  await endLeases();
  await claim(atMs + 2 * minuteMs);
  expect(await finish(slow, 'sent', atMs + 3 * minuteMs)).toBe(true);
  expect((await claim(atMs + 9 * minuteMs)).claimed).toBe(0);
});

it('workers that always stop make a dead mail after five attempts', async () => {
  await addDueMails(1);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect((await claim(atMs)).claimed).toBe(1);
    await endLeases();
  }
  expect((await claim(atMs + 60 * minuteMs)).claimed).toBe(0);
  expect(await queue()).toMatchObject([
    { state: 'dead', attempts: 5, reason: expect.stringContaining('stopped') },
  ]);
});

it('a mail that fails is tried five times with growing delays, then dies with its reason and can be sent again', async () => {
  await addDueMails(1);
  let nowMs = atMs;
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const [mail] = (await claim(nowMs)).mails;
    await finish(mail, 'failed', nowMs);
    const [row] = await queue();
    delays.push(((row?.due_at.getTime() ?? 0) - nowMs) / minuteMs);
    nowMs += 2 * 3600_000;
  }
  for (const [index, minutes] of [1, 4, 16, 64].entries()) {
    expect(delays[index]).toBeGreaterThanOrEqual(minutes * 0.5);
    expect(delays[index]).toBeLessThanOrEqual(minutes * 1.5);
  }
  expect(await queue()).toMatchObject([{ state: 'dead', attempts: 5, reason: 'no response' }]);
  const resend = async (diedAfterMs: number) =>
    (
      await supabase().database.query<{ result: object }>(
        'select public.resend_dead_letters(died_after => $1) as result',
        [at(diedAfterMs)],
      )
    )[0]?.result;
  expect(await resend(nowMs)).toMatchObject({ mails: 0, skipped: {} });
  await supabase().database.query(`select public.suppress_mail_address($1, 'bounce')`, [ada.email]);
  expect(await resend(atMs)).toEqual({
    mails: 0,
    push: 0,
    webhooks: 0,
    outgoing: 0,
    skipped: { suppressed: 1 },
  });
  expect(await queue()).toMatchObject([{ state: 'dead' }]);
  const [lifted] = await supabase().database.query(
    `select public.lift_suppressions(now() - interval '1 minute', 'bounce') as lifted`,
  );
  expect(lifted).toEqual({ lifted: 1 });
  expect(await resend(atMs)).toEqual({ mails: 1, push: 0, webhooks: 0, outgoing: 0, skipped: {} });
  expect(await queue()).toMatchObject([{ state: 'retrying', attempts: 0 }]);
});

it('a claim takes mails that are due until a later time, in quiet hours too', async () => {
  const { database } = supabase();
  await database.query(
    `insert into notification_preferences (user_id, quiet_hours_start, quiet_hours_end) values ($1, '00:00', '00:00')`,
    [ada.id],
  );
  await database.query(
    `insert into notifications (recipient_id, content) values ($1, '{"type":"mention"}')`,
    [ada.id],
  );
  await database.query('update private.notification_mails set due_at = $1', [at(atMs + 60 * minuteMs)]);
  const claimUntil = async (timeMs: number | null) => {
    const [row] = await database.query<{ claim: Claimed }>(
      'select claim_notification_mails(called_at => $1, due_before => $2) as claim',
      [at(atMs), timeMs === null ? null : at(timeMs)],
    );
    return [row?.claim.claimed, row?.claim.mails.length];
  };
  expect(await claimUntil(null)).toEqual([0, 0]);
  expect(await claimUntil(atMs + 60 * minuteMs - 1)).toEqual([0, 0]);
  expect(await claimUntil(atMs + 60 * minuteMs)).toEqual([1, 1]);
  await database.exec('delete from notification_preferences');
});

it('a mail that the run had no time for is due again at once, without a counted attempt', async () => {
  await addDueMails(1);
  const [mail] = (await claim(atMs)).mails;
  await finish(mail, 'delayed', atMs + minuteMs);
  expect(await queue()).toEqual([
    { state: 'retrying', attempts: 0, reason: null, due_at: new Date(atMs + minuteMs) },
  ]);
});

it('a mail that is held waits longer and longer, an hour at most, without a counted attempt, and is dead after 30 days', async () => {
  await addDueMails(1);
  const waits: number[] = [];
  const states: unknown[] = [];
  let nowMs = atMs;
  for (const dayCount of [0, 0.01, 0.1, 29, 31]) {
    nowMs = atMs + dayCount * 86_400_000;
    await supabase().database.query('update private.notification_mails set due_at = $1', [at(nowMs)]);
    const [mail] = (await claim(nowMs)).mails;
    expect(await finish(mail, 'held', nowMs)).toBe(true);
    const [row] = await queue();
    waits.push(((row?.due_at.getTime() ?? 0) - nowMs) / minuteMs);
    states.push([row?.state, row?.attempts]);
  }
  expect(states).toEqual([...Array.from({ length: 4 }, () => ['retrying', 0]), ['dead', 0]]);
  for (const [index, minutes] of [1, 3.6, 36, 60].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(minutes * 0.5);
    expect(waits[index]).toBeLessThanOrEqual(minutes * 1.5);
  }
});

it('an account that is banned gets no mail until the ban ends', async () => {
  const { database } = supabase();
  const obstacles = () =>
    database.query<{ obstacle: string | null }>(
      `select private.mail_obstacle($1, $2::timestamptz + days * interval '1 day') as obstacle from unnest(array[0, 2]) days`,
      [ada.id, at(atMs)],
    );
  await database.query(
    `update auth.users set banned_until = $2::timestamptz + interval '1 day' where id = $1`,
    [ada.id, at(atMs)],
  );
  expect(await obstacles()).toEqual([{ obstacle: 'account' }, { obstacle: null }]);
  await database.query('update auth.users set banned_until = null where id = $1', [ada.id]);
  expect(await obstacles()).toEqual([{ obstacle: null }, { obstacle: null }]);
});

it.each([
  ['deleted softly', `deleted_at = now()`, 'account'],
  ['without an address', `email = null`, 'unconfirmed'],
  ['whose address is not confirmed', `email_confirmed_at = null`, 'unconfirmed'],
])('an account that is %s gets no mail', async (_, change, obstacle) => {
  const [row] = await supabase().database.query(
    `with account as (
       insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'mailed@example.com', now())
       returning id
     ) select id from account`,
  );
  await supabase().database.query(`update auth.users set ${change} where id = $1`, [row?.['id']]);
  const obstacles = await supabase().database.query('select private.mail_obstacle($1, now()) as obstacle', [
    row?.['id'],
  ]);
  await supabase().database.query('delete from auth.users where id = $1', [row?.['id']]);
  expect(obstacles).toEqual([{ obstacle }]);
});

it('a notification that is snoozed is not mailed before its time', async () => {
  const { database } = supabase();
  const [row] = await database.query<{ id: string }>(
    `insert into notifications (recipient_id, content, snoozed_until)
     values ($1, '{"type":"mention"}', now() + interval '1 day') returning id`,
    [ada.id],
  );
  const items = await database.query<{ count: number }>(
    `select (select count(*)::int from private.mail_items(i.mail_id, now() + days * interval '1 day')) as count
     from private.notification_mail_items i, unnest(array[0, 2]) days where i.notification_id = $1 order by days`,
    [row?.id],
  );
  expect(items).toEqual([{ count: 0 }, { count: 1 }]);
});

describe('suppressions', () => {
  const suppress = (address: string, reason: string, detail = '') =>
    supabase().database.query('select public.suppress_mail_address($1, $2, $3)', [address, reason, detail]);
  const lift = async (since: string | null, reason: string | null) =>
    (
      await supabase().database.query<{ lifted: number }>(
        'select public.lift_suppressions($1, $2) as lifted',
        [since, reason],
      )
    )[0]?.lifted;

  beforeEach(async () => {
    await supabase().database.exec('delete from private.suppressed_addresses');
    await suppress('one@example.com', 'bounce');
    await supabase().database.exec(`update private.suppressed_addresses set created_at = '2026-01-01'`);
    await suppress('two@example.com', 'bounce');
    await suppress('three@example.com', 'complaint');
  });

  it('are lifted from a time on, and for one reason or all', async () => {
    expect(await lift('2026-01-02', 'bounce')).toBe(1);
    expect(await lift('2026-01-02', null)).toBe(1);
    expect(await lift('2025-01-01', null)).toBe(1);
    await expect(lift('2025-01-01', 'spite')).rejects.toThrow('suppressions_invalid');
    await expect(lift(null, null)).rejects.toThrow('suppressions_invalid');
  });

  it('are lifted by their owner for the own address alone', async () => {
    await suppress(ada.email, 'bounce');
    const allow = () =>
      runAs(supabase().database, { role: 'authenticated', userId: ada.id }, (sql) =>
        sql.query('select public.allow_mail_address() as is_lifted'),
      );
    expect(await allow()).toEqual([{ is_lifted: true }]);
    expect(await allow()).toEqual([{ is_lifted: false }]);
    expect(await lift('2025-01-01', null)).toBe(3);
  });

  it('for a complaint stay so when the address bounces later', async () => {
    await suppress('three@example.com', 'bounce');
    expect(await lift('2025-01-01', 'bounce')).toBe(2);
    await suppress('four@example.com', 'bounce');
    await suppress('four@example.com', 'complaint');
    expect(await lift('2025-01-01', 'complaint')).toBe(2);
  });
});

describe('the queue', () => {
  it('the queue keeps one pending mail per person and period, however many notifications come', async () => {
    await supabase().database.query(
      `insert into notifications (recipient_id, content) select r, '{"type":"mention"}'
       from unnest(array[$1, $2]::uuid[]) r, generate_series(1, 20)`,
      [ada.id, grace.id],
    );
    await supabase().database.query(
      `insert into notifications (recipient_id, content) values ($1, '{"type":"comment"}')`,
      [ada.id],
    );
    expect(
      await supabase().database.query(
        'select recipient_id, item_count from private.notification_mails order by recipient_id',
      ),
    ).toEqual([
      { recipient_id: grace.id, item_count: 20 },
      { recipient_id: ada.id, item_count: 21 },
    ]);
  });

  it.each(['instant', 'hourly', 'daily', 'weekly'])(
    'the queue sends imported history with the next mail, not at once: %s',
    async (frequency) => {
      const { database } = supabase();
      await database.query(
        `insert into notification_preferences (user_id, email_digest_frequency) values ($1, $2)
         on conflict (user_id) do update set email_digest_frequency = excluded.email_digest_frequency`,
        [ada.id, frequency],
      );
      await database.query(
        `insert into notifications (recipient_id, content, created_at)
         values ($1, '{"type":"mention"}', now() - interval '30 days')`,
        [ada.id],
      );
      await database.exec('delete from notification_preferences');
      expect(
        await database.query('select due_at > now() as is_later from private.notification_mails'),
      ).toEqual([{ is_later: true }]);
    },
  );

  it('the queue starts the next mail while one is being sent', async () => {
    const notify = () =>
      supabase().database.query(
        `insert into notifications (recipient_id, content) values ($1, '{"type":"mention"}')`,
        [ada.id],
      );
    await notify();
    const [first] = (await claim(Date.now() + 86_400_000)).mails;
    await notify();
    expect((await queue()).map(({ state }) => state).toSorted()).toEqual(['pending', 'sending']);
    await finish(first, 'sent', Date.now());
    const [second] = (await claim(Date.now() + 86_400_000)).mails;
    expect(second).toMatchObject({ item_count: 1 });
  });

  const statements = [
    'select * from private.notification_mails',
    'select * from private.notification_mail_items',
    'select * from private.suppressed_addresses',
    'select * from private.mail_link_key',
    'select public.claim_notification_mails()',
    'select public.resend_dead_letters()',
    'select * from private.mail_settings',
    `select public.finish_notification_mail(gen_random_uuid(), gen_random_uuid(), 'sent')`,
    `select public.suppress_mail_address('ada@example.com', 'bounce')`,
    `select public.unsubscribe_from_mails('token')`,
    'select public.lift_suppressions(now())',
  ];
  it.each(statements)('the queue is closed to users and visitors: %s', async (statement) => {
    for (const caller of [{ role: 'authenticated', userId: ada.id }, { role: 'anon' }] as const)
      await expect(runAs(supabase().database, caller, (sql) => sql.query(statement))).rejects.toThrow(
        /permission denied/,
      );
  });
});

it('the status of mails contains what waits for the next one and when it is due, without mails about other things', async () => {
  const { database } = supabase();
  const readStatus = async () => {
    const [row] = await runAs(database, { role: 'authenticated', userId: ada.id }, (sql) =>
      sql.query<{ status: Readonly<Record<string, unknown>> }>('select public.mail_status() as status'),
    );
    return row?.status;
  };
  await database.query(
    `insert into notifications (recipient_id, sender_id, content) select $1, $2, '{"type":"mention"}' from generate_series(1, 2)`,
    [ada.id, grace.id],
  );
  await database.query('update private.notification_mails set due_at = $1', [at(atMs)]);
  await database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at)
     values ($1, 'test', now()), ($2, 'digest', now()), ($1, 'kind:edit', $3)`,
    [ada.id, grace.id, at(atMs + 60 * minuteMs)],
  );
  const waiting = await readStatus();
  expect(waiting).toMatchObject({
    address: ada.email,
    obstacle: null,
    suppression_reason: null,
    waiting: 2,
  });
  expect(Date.parse(String(waiting?.['next_at']))).toBe(atMs);
  await database.exec(`update private.notification_mails set state = 'retrying' where topic = 'digest'`);
  expect(await readStatus()).toEqual(waiting);
  await database.exec('delete from private.notification_mails');
  const empty = await readStatus();
  expect(empty?.['waiting']).toBe(0);
  // The daily digest, at eight.
  expect(new Date(String(empty?.['next_at'])).toISOString()).toMatch(/T08:00:00/);
});

describe('private.next_mail_at()', () => {
  const next = async (frequency: string, zone: string, hour: number, weekday: number, calledAt: string) => {
    const [row] = await supabase().database.query<{ due: Date }>(
      'select private.next_mail_at($1, $2, $3, $4, $5) as due',
      [frequency, zone, hour, weekday, calledAt],
    );
    return row?.due.toISOString();
  };

  it.each([
    ['instant', 'UTC', 8, 1, '2032-01-16T10:00:30Z', '2032-01-16T10:02:30.000Z'],
    ['hourly', 'Asia/Kolkata', 8, 1, '2032-01-16T10:00:00Z', '2032-01-16T11:00:00.000Z'],
    ['hourly', 'UTC', 8, 1, '2032-01-16T10:59:59Z', '2032-01-16T11:00:00.000Z'],
    ['daily', 'UTC', 8, 1, '2032-01-16T07:59:59Z', '2032-01-16T08:00:00.000Z'],
    ['daily', 'UTC', 8, 1, '2032-01-16T08:00:00Z', '2032-01-17T08:00:00.000Z'],
    // The clocks go forward at 02:00 and back at 03:00 on these days.
    ['daily', 'Europe/Vienna', 8, 1, '2032-03-27T08:00:00Z', '2032-03-28T06:00:00.000Z'],
    ['daily', 'Europe/Vienna', 2, 1, '2032-03-27T12:00:00Z', '2032-03-28T01:00:00.000Z'],
    ['daily', 'Europe/Vienna', 8, 1, '2032-10-30T07:00:00Z', '2032-10-31T07:00:00.000Z'],
    ['daily', 'Europe/Vienna', 2, 1, '2032-10-30T12:00:00Z', '2032-10-31T01:00:00.000Z'],
    // The local date is already the next day.
    ['daily', 'Pacific/Kiritimati', 8, 1, '2032-01-16T17:00:00Z', '2032-01-16T18:00:00.000Z'],
    ['daily', 'Pacific/Kiritimati', 8, 1, '2032-01-16T18:00:00Z', '2032-01-17T18:00:00.000Z'],
    ['weekly', 'Pacific/Kiritimati', 8, 1, '2032-01-18T17:59:59Z', '2032-01-18T18:00:00.000Z'],
    ['weekly', 'UTC', 8, 1, '2032-01-16T10:00:00Z', '2032-01-19T08:00:00.000Z'],
    ['weekly', 'UTC', 8, 1, '2032-01-19T08:00:00Z', '2032-01-26T08:00:00.000Z'],
    ['weekly', 'UTC', 0, 7, '2032-01-16T10:00:00Z', '2032-01-18T00:00:00.000Z'],
    // A zone that the server no longer knows counts as UTC.
    ['daily', 'Europe/Atlantis', 8, 1, '2032-01-16T10:00:00Z', '2032-01-17T08:00:00.000Z'],
  ] as const)(
    'private.next_mail_at() of %s in %s at %i, weekday %i, from %s is %s',
    async (frequency, zone, hour, day, from, due) => {
      expect(await next(frequency, zone, hour, day, from)).toBe(due);
    },
  );
});

import { existsSync } from 'node:fs';
import type { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openScaleDatabase, type ScaleDatabase } from '../../scripts/scale/scale-database.ts';

/** The folder of Debian's package, or POSTGRES_BINARIES. Without a PostgreSQL these tests fail: a skipped race would look like a passed one. */
const binaries = process.env['POSTGRES_BINARIES'] ?? '/usr/lib/postgresql/15/bin';

let database: ScaleDatabase;
const sessions: Client[] = [];
const accounts = 400;
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const ids = Array.from({ length: accounts }, (_, index) => idOf(index + 1));

beforeAll(async () => {
  if (!existsSync(`${binaries}/initdb`))
    throw new Error(
      `These tests need a PostgreSQL, and ${binaries} has none: install postgresql-15 or set POSTGRES_BINARIES`,
    );
  database = await openScaleDatabase(binaries);
  await database.exec(
    `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at)
     select '00000000-0000-0000-0000-000000000000', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
       'authenticated', 'authenticated', 'parallel-' || n || '@example.com', now()
     from generate_series(1, ${accounts}) n`,
  );
  for (let number = 0; number < 8; number += 1) {
    const session = await database.connect?.();
    if (session) sessions.push(session);
  }
}, 300_000);
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.end()));
  await database.close();
});

beforeEach(() =>
  database.exec(
    `delete from private.messages; delete from notifications; delete from private.webhook_endpoints;
     delete from private.notification_mails; delete from notification_preferences`,
  ),
);

const inParallel = <Result>(work: (session: Client, number: number) => Promise<Result>) =>
  Promise.all(sessions.map(work));
const send = async (session: Client, message: object) => {
  const { rows } = await session.query<{ answer: [{ id: string; is_repeated: boolean }] }>(
    'select send_notifications($1) as answer',
    [JSON.stringify([message])],
  );
  const [{ answer } = { answer: [{ id: '', is_repeated: false }] as const }] = rows;
  return answer[0];
};
const count = async (sql: string) => (await database.query<{ count: number }>(sql))[0]?.count;

it('eight workers deliver one announcement to each recipient once, and count correctly', async () => {
  const [first] = sessions;
  const { id } = first ? await send(first, { recipients: ids, text: 'To all' }) : { id: '' };
  await inParallel((session) => session.query('call private.deliver_outgoing(20)'));
  expect(
    await database.query('select state, delivered_count, failed_count from private.messages where id = $1', [
      id,
    ]),
  ).toEqual([{ state: 'delivered', delivered_count: accounts, failed_count: 0 }]);
  expect(await count('select count(distinct recipient_id)::int as count from notifications')).toBe(accounts);
  expect(await count('select count(*)::int as count from notifications')).toBe(accounts);
  expect(await count('select sum(unread)::int as count from notification_counters')).toBe(accounts);
});

it('the same key in eight concurrent sessions sends one message', async () => {
  for (let round = 0; round < 20; round += 1) {
    const responses = await inParallel((session) =>
      send(session, { recipients: ids.slice(0, 3), text: 'x', idempotency_key: `round-${round}` }),
    );
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(responses.filter((response) => !response.is_repeated)).toHaveLength(1);
  }
  expect(await count('select count(*)::int as count from private.messages')).toBe(20);
});

it('calls within transactions that name recipients in opposite orders neither wait nor deadlock', async () => {
  await inParallel(async (session, number) => {
    await session.query(`set lock_timeout = '5s'`);
    const order = number % 2 === 0 ? ids.slice(0, 6) : ids.slice(0, 6).toReversed();
    for (let round = 0; round < 20; round += 1) {
      await session.query('begin');
      for (const recipient of order) await send(session, { recipients: [recipient], text: 'x' });
      await session.query('commit');
    }
    await session.query('reset lock_timeout');
  });
  await inParallel((session) => session.query('call private.deliver_outgoing()'));
  expect(await count('select count(*)::int as count from notifications')).toBe(sessions.length * 20 * 6);
});

it('a click of a recipient does not wait for an open transaction that has sent to it', async () => {
  const [sender, recipient] = sessions;
  await send(sender as Client, { recipients: [ids[0]], text: 'before' });
  await (sender as Client).query('call private.deliver_outgoing()');
  await sender?.query('begin');
  await send(sender as Client, { recipients: [ids[0]], text: 'within' });
  await recipient?.query(
    `set lock_timeout = '1s'; update notifications set status = 'read'; reset lock_timeout`,
  );
  await sender?.query('commit');
  expect(await count(`select count(*)::int as count from notifications where status = 'read'`)).toBe(1);
});

it('a cancellation never contradicts the log', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await send(sessions[0] as Client, { recipients: ids.slice(0, 150), text: 'x' });
    await inParallel((session, number) =>
      number === 0
        ? session.query('select cancel_message($1)', [id])
        : session.query('call private.deliver_outgoing(10)'),
    );
    const [row] = await database.query<{ state: string; counted: number; logged: number; stored: number }>(
      `select m.state, m.delivered_count as counted,
         (select count(*)::int from private.message_deliveries d where d.message_id = m.id) as logged,
         (select count(*)::int from private.message_deliveries d join notifications n on n.id = d.notification_id where d.message_id = m.id) as stored
       from private.messages m where m.id = $1`,
      [id],
    );
    expect(['canceled', 'delivered']).toContain(row?.state);
    expect([row?.counted, row?.stored]).toEqual([row?.logged, row?.logged]);
  }
});

it('eight workers lease each mail, push message and webhook once', async () => {
  await database.exec(`select register_webhook('https://hooks.example.com/x')`);
  await send(sessions[0] as Client, { recipients: ids, kind: 'mention', text: 'x' });
  await inParallel((session) => session.query('call private.deliver_outgoing()'));
  for (let part = 0; part < 4; part += 1)
    await database.query(`update notifications set status = 'read' where recipient_id = any ($1)`, [
      ids.slice(part * 100, part * 100 + 100),
    ]);
  const claimed = async (sql: string, list: string) =>
    (await inParallel((session) => session.query<{ claim: Record<string, { id: string }[]> }>(sql)))
      .flatMap(({ rows }) => rows.flatMap(({ claim }) => claim[list] ?? []))
      .map(({ id }) => id);
  const webhooks = await claimed('select claim_webhooks(2) as claim', 'webhooks');
  expect([webhooks.length, new Set(webhooks).size]).toEqual([4, 4]);
  await database.exec(`update notifications set status = 'unread'`);
  const mails = await claimed(
    `select claim_notification_mails(60, due_before => now() + interval '8 days') as claim`,
    'mails',
  );
  expect([mails.length, new Set(mails).size]).toEqual([accounts, accounts]);
});

it('dry runs store nothing and keep no lock during deliveries', async () => {
  await inParallel(async (session, number) => {
    for (let round = 0; round < 10; round += 1)
      await (number % 2 === 0
        ? session.query('select send_notifications($1, true)', [
            JSON.stringify([{ recipients: ids.slice(0, 50), text: 'x' }]),
          ])
        : send(session, { recipients: ids.slice(0, 5).toReversed(), text: 'x' }));
  });
  await inParallel((session) => session.query('call private.deliver_outgoing()'));
  expect(await count('select count(*)::int as count from notifications')).toBe(4 * 10 * 5);
  expect(await count('select count(*)::int as count from private.messages')).toBe(40);
});

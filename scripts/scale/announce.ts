import type { Client } from 'pg';
import type { ScaleDatabase } from './scale-database.ts';

/** Clicks of recipients while a message is delivered to others. */
const clickers = 20;
const writers = 50;

export interface Announcement {
  /** How long the call took that queued the message. */
  readonly acceptedMs: number;
  readonly seconds: number;
  /** How long clicks of recipients took meanwhile, in milliseconds: the median, the 95th percentile, and the longest. */
  readonly clicksMs: readonly [median: number, p95: number, longest: number];
}

const userId = (number: string | number) =>
  `('00000000-0000-4000-b000-' || lpad((${number})::text, 12, '0'))::uuid`;

/**
 * Announces something to an audience of `recipients` accounts in one call, and measures its acceptance, the delivery to all, and clicks of
 * recipients during the delivery.
 *
 * @throws {Error} unless each account received it once.
 */
export async function announce(
  database: ScaleDatabase,
  connect: () => Promise<Client>,
  recipients: number,
): Promise<Announcement> {
  await createAccounts(database, recipients);
  const [sender, worker, clicker] = await Promise.all([connect(), connect(), connect()]);
  try {
    const message = JSON.stringify([
      { audience: 'everybody', kind: 'mention', text: 'Maintenance on Sunday' },
    ]);
    const startedMs = performance.now();
    await sender.query('select send_notifications($1::jsonb)', [message]);
    const acceptedMs = performance.now() - startedMs;
    const run = { isOver: false };
    const clicks = clickUntil(clicker, recipients, run);
    const deliveredFrom = performance.now();
    await worker.query('call private.deliver_outgoing(run_seconds => 86400)');
    const seconds = (performance.now() - deliveredFrom) / 1000;
    run.isOver = true;
    const [reached] = await database.query<{ rows: number; accounts: number }>(
      `select count(*)::int as rows, count(distinct recipient_id)::int as accounts from public.notifications
       where recipient_id >= ${userId(1)} and content like '%Maintenance%'`,
    );
    if (reached?.rows !== recipients || reached.accounts !== recipients)
      throw new Error(
        `The announcement had ${recipients} recipients; ${reached?.accounts} received ${reached?.rows} rows`,
      );
    const sorted = (await clicks).toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    return { acceptedMs, seconds, clicksMs: [at(0.5), at(0.95), at(1)] };
  } finally {
    await Promise.all([sender, worker, clicker].map((session) => session.end()));
  }
}

/**
 * Writers of all sorts at once: backends that send to the same accounts in opposite orders, by the API and within transactions, workers
 * that deliver, and users who click.
 *
 * @returns how many transactions ran, and how many deadlocked.
 */
export async function raceBackends(
  connect: () => Promise<Client>,
  transactions: number,
): Promise<{ readonly ran: number; readonly deadlocks: number }> {
  const sessions = await Promise.all(Array.from({ length: writers }, connect));
  let ran = 0;
  let deadlocks = 0;
  const write = async (session: Client, number: number) => {
    while (ran < transactions) {
      ran += 1;
      const ids = Array.from(
        { length: 8 },
        (_, place) => `00000000-0000-4000-b000-${String(place + 1).padStart(12, '0')}`,
      );
      const order = number % 2 === 0 ? ids : ids.toReversed();
      await writeAs(session, number, order).catch(async (problem: { code?: string }) => {
        if (problem.code !== '40P01') throw problem;
        deadlocks += 1;
        await session.query('rollback');
      });
    }
  };
  await Promise.all(sessions.map(write));
  await Promise.all(sessions.map((session) => session.end()));
  return { ran, deadlocks };
}

/** Writes once: a click, a batch of a worker, a transaction with a call for each account, or a request of the API. */
async function writeAs(session: Client, number: number, order: readonly string[]): Promise<void> {
  const messages = order.map((id) => ({ recipients: [id], kind: 'mention', text: 'Hello' }));
  const send = (part: readonly object[]) =>
    session.query('select send_notifications($1::jsonb)', [JSON.stringify(part)]);
  if (number % 5 === 0) {
    await session.query(clickOf(1 + (number % 8)));
  } else if (number % 5 === 1) {
    await session.query('call private.deliver_outgoing(run_seconds => 0.2)');
  } else if (number % 5 === 2) {
    await session.query('begin');
    for (const message of messages) await send([message]);
    await session.query('commit');
  } else {
    await session.query('begin');
    await session.query(`select set_config('request.path', '/rpc/send_notifications', true)`);
    await send(messages);
    await session.query('commit');
  }
}

const clickOf = (number: number) =>
  `update public.notifications set status = case status when 'read' then 'unread' else 'read' end where id = (
     select id from public.notifications where recipient_id = ${userId(number)} order by created_at limit 1)`;

async function clickUntil(
  session: Client,
  recipients: number,
  run: { isOver: boolean },
): Promise<readonly number[]> {
  const durationsMs: number[] = [];
  for (let click = 0; !run.isOver; click += 1) {
    const number = 1 + Math.floor(((click % clickers) * recipients) / clickers);
    const startedMs = performance.now();
    await session.query(clickOf(number));
    durationsMs.push(performance.now() - startedMs);
  }
  return durationsMs;
}

async function createAccounts(database: ScaleDatabase, accounts: number): Promise<void> {
  await database.exec(`
    insert into auth.users (instance_id, id, email, email_confirmed_at, aud, role, created_at)
      select '00000000-0000-0000-0000-000000000000', ${userId('n')}, 'announce' || n || '@example.com', now(),
        'authenticated', 'authenticated', now()
      from generate_series(1, ${accounts}) n on conflict do nothing;
    insert into public.audiences (name) values ('everybody');
    insert into public.audience_members (audience, user_id)
      select 'everybody', ${userId('n')} from generate_series(1, ${accounts}) n;
    insert into public.notifications (recipient_id, content)
      select ${userId('n')}, '{"type":"mention"}' from generate_series(1, ${accounts}) n;
    analyze auth.users`);
}

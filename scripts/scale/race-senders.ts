import type { Client } from 'pg';
import { heavyUser } from './fill.ts';

const rounds = 12;
/** No statement of the race runs nearly as long unless it waits for a lock. */
const WAIT_LIMIT_MS = 2_000;
const [sender, otherSender, ...recipients] = [21, 22, 23, 24, 25, 26, 27, 28].map(
  (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
);

/**
 * Users send while others hold locks: a sender waits for no recipient, a recipient for no sender, and inserts of many rows in
 * opposite orders do not deadlock.
 *
 * @returns descriptions of the faults; empty without any.
 */
export async function raceSenders(connect: () => Promise<Client>): Promise<readonly string[]> {
  const sessions = await Promise.all([connect(), connect(), connect()]);
  const [first, second, worker] = sessions;
  try {
    await first.query('delete from private.send_usage');
    return [
      ...(await sendToLockedRecipient(first, second)),
      ...(await clickDuringSending(first, second)),
      ...(await sendInOppositeOrders(first, second, worker)),
    ];
  } finally {
    await Promise.all(sessions.map((session) => session.end()));
  }
}

async function sendToLockedRecipient(locking: Client, sending: Client): Promise<readonly string[]> {
  const problems: string[] = [];
  await locking.query('begin');
  await locking.query('select from public.notification_counters where user_id = $1 for update', [heavyUser]);
  const unknown = crypto.randomUUID();
  for (const recipient of [heavyUser, unknown]) {
    if (await isBlocked(() => transact(sending, sender, insertFor([recipient]))))
      problems.push(`Sending to ${recipient === unknown ? 'an unknown' : 'a locked'} recipient waited.`);
  }
  await locking.query('rollback');
  return problems;
}

async function clickDuringSending(sending: Client, clicking: Client): Promise<readonly string[]> {
  await clicking.query(
    `insert into public.notifications (recipient_id, content) values ($1, '{"type":"mention"}')`,
    [heavyUser],
  );
  await sending.query('begin');
  await actAs(sending, sender);
  await sending.query(insertFor([heavyUser]));
  const click = `update public.notifications set status = 'read' where id = (
    select id from public.notifications where recipient_id = '${heavyUser}' and status = 'unread' limit 1)`;
  const waited = await isBlocked(() => transact(clicking, heavyUser, click));
  await sending.query('rollback');
  return waited ? ['The click of a recipient waited for a sender.'] : [];
}

async function sendInOppositeOrders(
  first: Client,
  second: Client,
  worker: Client,
): Promise<readonly string[]> {
  const outcomes: boolean[] = [];
  const attempt = async (session: Client, user: string | undefined, order: readonly string[]) =>
    outcomes.push(await isBlocked(() => transact(session, user, insertFor(order))));
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all([
      attempt(first, sender, recipients),
      attempt(second, otherSender, recipients.toReversed()),
      worker.query('call private.deliver_outgoing()'),
    ]);
  }
  const failed = outcomes.filter(Boolean).length;
  return failed > 0
    ? [`${failed} of ${outcomes.length} inserts in opposite orders waited or deadlocked.`]
    : [];
}

const insertFor = (ids: readonly string[]) =>
  `insert into public.notifications (recipient_id, content)
   select id, '{"type":"mention"}' from unnest(array['${ids.join(`','`)}']::uuid[]) id`;

const actAs = (session: Client, user: string | undefined) =>
  session.query(
    `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
    [JSON.stringify({ sub: user, role: 'authenticated' })],
  );

async function transact(session: Client, user: string | undefined, statement: string): Promise<void> {
  await session.query('begin');
  try {
    await session.query(`set local lock_timeout = ${WAIT_LIMIT_MS}`);
    await actAs(session, user);
    await session.query(statement);
    await session.query('commit');
  } catch (problem) {
    await session.query('rollback');
    throw problem;
  }
}

/** Whether a transaction failed because it waited for a lock, or because of a deadlock. */
async function isBlocked(transaction: () => Promise<void>): Promise<boolean> {
  try {
    await transaction();
    return false;
  } catch (problem) {
    if (!['40P01', '55P03'].includes((problem as { code?: string }).code ?? '')) throw problem;
    return true;
  }
}

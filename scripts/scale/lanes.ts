import type { Client } from 'pg';
import type { ScaleDatabase } from './scale-database.ts';

export interface LaneRun {
  readonly workers: number;
  /** How long the announcement took; null: none ran. */
  readonly seconds: number | null;
  /** How long what a user sent, and a message to one recipient, waited meanwhile: the median and the longest, in milliseconds. */
  readonly userMs: readonly [median: number, longest: number];
  readonly messageMs: readonly [median: number, longest: number];
}

/** How often pg_cron starts a job. */
const TICK_MS = 1000;
const PROBES = 20;
/** Accounts outside of the announcement, for the probes. */
const [sender, recipient] = [1, 2].map((n) => `00000000-0000-4000-b000-${String(n).padStart(12, '0')}`);

/**
 * Sends to one recipient, as a user and as a backend, while `workers` sessions deliver as the jobs do. If `announces`, they also deliver a
 * message to all members of the audience `everybody`.
 *
 * @throws {Error} unless each member received it once.
 */
export async function measureLanes(
  database: ScaleDatabase,
  connect: () => Promise<Client>,
  workers: number,
  announces: boolean,
): Promise<LaneRun> {
  const client = await connect();
  await client.query('call private.deliver_outgoing(run_seconds => 86400)');
  // The workers run until the last probe has arrived.
  const [probing, delivering] = [{ isOver: false }, { isOver: false }];
  const sessions = await Promise.all(Array.from({ length: workers }, connect));
  const working = sessions.map((session) => workLikeCron(session, delivering));
  const startedMs = performance.now();
  const message = announces ? await announceTo(client) : null;
  const waits = probe(client, probing, announces ? Infinity : PROBES);
  const seconds = message === null ? null : await untilDelivered(database, message, startedMs);
  if (announces) probing.isOver = true;
  const { userMs, messageMs } = await waits;
  delivering.isOver = true;
  await Promise.all(working);
  await Promise.all([client, ...sessions].map((session) => session.end()));
  return { workers, seconds, userMs, messageMs };
}

async function workLikeCron(session: Client, run: { isOver: boolean }): Promise<void> {
  while (!run.isOver) {
    const startedMs = performance.now();
    await session.query('call private.deliver_outgoing(run_seconds => 5)');
    await pause(Math.max(TICK_MS - (performance.now() - startedMs), 0));
  }
}

async function announceTo(client: Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `select send_notifications('[{"audience":"everybody","text":"Maintenance on Sunday"}]') -> 0 ->> 'id' as id`,
  );
  return rows[0]?.id ?? '';
}

async function untilDelivered(database: ScaleDatabase, message: string, startedMs: number): Promise<number> {
  for (;;) {
    const [row] = await database.query<{ state: string; reached: number; members: number }>(
      `select s ->> 'state' as state, (s #>> '{counts,delivered}')::int as reached,
         (select count(*)::int from audience_members where audience = 'everybody') as members
       from message_status($1, page_size => 1) s`,
      [message],
    );
    if (row?.state === 'delivered') {
      if (row.reached !== row.members) throw new Error(`${row.reached} of ${row.members} were reached.`);
      return (performance.now() - startedMs) / 1000;
    }
    await pause(250);
  }
}

async function probe(client: Client, run: { isOver: boolean }, most: number) {
  const userMs: number[] = [];
  const messageMs: number[] = [];
  while (!run.isOver && userMs.length < most) {
    userMs.push(
      await waitFor(client, 'private.outgoing_notifications', () =>
        client.query(
          `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at)
           values ($1, $2, '{"type":"mention"}', clock_timestamp())`,
          [sender, recipient],
        ),
      ),
    );
    messageMs.push(
      await waitFor(client, 'private.message_ranges where lane < 2', () =>
        client.query('select send_notifications($1::jsonb)', [
          JSON.stringify([{ recipients: [recipient], text: 'Disk is full' }]),
        ]),
      ),
    );
    // An odd interval keeps the probes from following the ticks.
    await pause(137);
  }
  return { userMs: summary(userMs), messageMs: summary(messageMs) };
}

async function waitFor(client: Client, queue: string, send: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await send();
  for (;;) {
    const { rowCount } = await client.query(`select from ${queue} limit 1`);
    if (rowCount === 0) return performance.now() - startedMs;
    await pause(10);
  }
}

function summary(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((one, other) => one - other);
  return [sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, sorted.at(-1) ?? 0];
}

const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

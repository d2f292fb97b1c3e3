import type { Client } from 'pg';
import { heavyUser } from './fill.ts';

const writerCount = 50;
const statementsPerWriter = 40;
const recipients = [11, 12, 13].map(
  (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
);

/**
 * 50 sessions change the notifications of three users at the same time; then the counters must be those of the rows, and
 * a limit that all of them run into must have let exactly as many through as it allows.
 *
 * @returns descriptions of the faults; empty without any.
 */
export async function raceWriters(connect: () => Promise<Client>): Promise<readonly string[]> {
  const writers = await Promise.all(Array.from({ length: writerCount }, connect));
  try {
    const deadlocks = await Promise.all(writers.map(write));
    const problems: string[] = [];
    const [first] = writers;
    if (!first) throw new Error('no writer');
    for (const recipient of recipients) {
      const { rows } = await first.query<{ wrong: boolean }>('select private.repair_counters($1) as wrong', [
        recipient,
      ]);
      if (rows[0]?.wrong !== false) problems.push(`The counters of ${recipient} are wrong.`);
    }
    const repeated = deadlocks.reduce((total, number) => total + number, 0);
    if (repeated > 0) problems.push(`${repeated} statements were deadlocked.`);
    const { rows: limits } = await first.query<{ per_minute: number }>(
      `select per_minute from private.send_limits where action = 'notification' and scope = 'recipient'`,
    );
    const sent = (await Promise.all(writers.map((writer) => send(writer, 4)))).reduce((a, b) => a + b, 0);
    if (sent !== limits[0]?.per_minute)
      problems.push(`A limit of ${limits[0]?.per_minute} let ${sent} through.`);
    return problems;
  } finally {
    await Promise.all(writers.map((writer) => writer.end()));
  }
}

/** @returns how many statements PostgreSQL aborted because of a deadlock. */
async function write(writer: Client, seed: number): Promise<number> {
  let deadlocks = 0;
  for (let step = 0; step < statementsPerWriter; step += 1) {
    const recipient = recipients[(seed + step) % recipients.length];
    const one = `(select id from public.notifications where recipient_id = '${recipient}' order by random() limit 1)`;
    const statements = [
      `insert into public.notifications (recipient_id, content)
       select id, '{"type":"edit"}' from unnest(array['${recipients.join(`','`)}']::uuid[]) id`,
      `insert into public.notifications (recipient_id, content) values ('${recipient}', '{"type":"mention"}')`,
      `update public.notifications set status = 'read' where id = ${one}`,
      `update public.notifications set status = 'archived' where id = ${one}`,
      `update public.notifications set status = 'unread' where id = ${one}`,
      `delete from public.notifications where id = ${one}`,
    ];
    try {
      await writer.query(statements[(seed * 7 + step * 5) % statements.length] ?? '');
    } catch (problem) {
      if ((problem as { code?: string }).code !== '40P01') throw problem;
      deadlocks += 1;
    }
  }
  return deadlocks;
}

/** Sends as one user; counts the notifications that the limits accept. */
async function send(writer: Client, attempts: number): Promise<number> {
  let sent = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      await writer.query('begin');
      await writer.query(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: heavyUser, role: 'authenticated' })],
      );
      await writer.query('insert into public.notifications (recipient_id, content) values ($1, $2)', [
        recipients[0],
        '{"type":"mention"}',
      ]);
      await writer.query('commit');
      sent += 1;
    } catch (problem) {
      await writer.query('rollback');
      if ((problem as { code?: string }).code !== 'PT429') throw problem;
    }
  }
  return sent;
}

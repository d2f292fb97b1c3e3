/**
 * `npm run scale -- [--rows 1000,100000,1000000] [--postgres DIR] [--mails 100000] [--announce 10000] [--kills 10000]`
 *
 * Fills a database with notifications, runs every query that the application's data layer sends with `explain (analyze,
 * buffers)`, prints a table, and fails if a query reads more than ten times the rows that it returns. On the embedded
 * database, or on a PostgreSQL whose binaries are in DIR; there, sessions also race for the counters, the limits and each
 * other's locks. `--mails` measures there instead how long one worker and four take to send this many digests that are due at
 * the same time; `--announce`, how long one message takes to reach this many recipients, how long their clicks wait
 * meanwhile, and whether 50 writers of all sorts deadlock; `--kills`, that 20 workers lose none of this many mails although
 * they are killed at every step and acknowledgments fail.
 */
import { parseArgs } from 'node:util';
import { fill, heavyUser } from './scale/fill.ts';
import { announce, raceBackends } from './scale/announce.ts';
import { measureLanes } from './scale/lanes.ts';
import { killWorkers } from './scale/kill-workers.ts';
import { isWithinLimit, measure } from './scale/measure.ts';
import type { Measurement } from './scale/measure.ts';
import type { ScaleQuery, ScaleTarget } from './scale/queries.ts';
import { recordQueries } from './scale/queries.ts';
import { raceSenders } from './scale/race-senders.ts';
import { raceWriters } from './scale/race.ts';
import { sendDigests } from './scale/send-digests.ts';
import { openScaleDatabase } from './scale/scale-database.ts';
import { raceMailWorkers } from './scale/race-mails.ts';
import type { ScaleDatabase } from './scale/scale-database.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000,100000,1000000' },
    postgres: { type: 'string' },
    mails: { type: 'string' },
    announce: { type: 'string' },
    kills: { type: 'string' },
  },
});

/** Interval of the delivery jobs, and the longest wait of a user's notification without an announcement. */
const TICK_MS = 1000;
const MIXED_TRANSACTIONS = 10_000;

const database = await openScaleDatabase(values.postgres);
const problems: string[] = [];
try {
  if (values.mails !== undefined) await measureMails(database, Number(values.mails));
  else if (values.kills !== undefined) await proveThatNoMailIsLost(database, Number(values.kills));
  else if (values.announce !== undefined) await measureAnnouncement(database, Number(values.announce));
  else await measureQueries();
} finally {
  await database.close();
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

async function measureMails({ name, connect, ...target }: ScaleDatabase, mails: number): Promise<void> {
  if (!connect) throw new Error('--mails needs --postgres');
  const one = Math.min(mails, 5_000);
  for (const [count, workers] of [
    [one, 1],
    [mails, 4],
  ] as const) {
    const { seconds } = await sendDigests({ name, connect, ...target }, connect, count, workers);
    console.log(
      `${name}: ${count} digests, ${workers} workers: ${seconds.toFixed(0)} s, ${(count / seconds).toFixed(0)} per second`,
    );
  }
}

async function proveThatNoMailIsLost(
  { name, connect, ...target }: ScaleDatabase,
  mails: number,
): Promise<void> {
  if (!connect) throw new Error('--kills needs --postgres');
  const run = await killWorkers({ name, connect, ...target }, connect, mails);
  console.log(
    `${name}: ${mails} mails, ${run.kills} workers killed, ${run.duplicates} mails sent twice, ${run.seconds.toFixed(0)} s`,
  );
  problems.push(...run.problems);
}

async function measureAnnouncement(
  { name, connect, ...target }: ScaleDatabase,
  recipients: number,
): Promise<void> {
  if (!connect) throw new Error('--announce needs --postgres');
  const { acceptedMs, seconds, clicksMs } = await announce({ name, connect, ...target }, connect, recipients);
  console.log(
    `${name}: ${recipients} recipients accepted in ${acceptedMs.toFixed(0)} ms, delivered in ${seconds.toFixed(1)} s; ` +
      `clicks meanwhile ${clicksMs.map((duration) => duration.toFixed(0)).join(', ')} ms (median, 95 %, longest)`,
  );
  // Measure the waits before the race, which leaves a long queue.
  await measureWaits({ name, connect, ...target }, connect);
  const { ran, deadlocks } = await raceBackends(connect, MIXED_TRANSACTIONS);
  console.log(`${name}: ${deadlocks} deadlocks in ${ran} transactions of 50 writers`);
  if (deadlocks > 0) problems.push('Backends and users deadlocked.');
}

async function measureWaits(
  target: ScaleDatabase,
  connect: NonNullable<ScaleDatabase['connect']>,
): Promise<void> {
  for (const [workers, announces] of [
    [1, false],
    [1, true],
    [2, true],
  ] as const) {
    const { seconds, userMs, messageMs } = await measureLanes(target, connect, workers, announces);
    console.log(
      `${target.name}, ${workers} workers, ${seconds === null ? 'no announcement' : `announcement in ${seconds.toFixed(1)} s`}: ` +
        `a user's notification after ${userMs.map((ms) => ms.toFixed(0)).join(', ')} ms, a message to one after ` +
        `${messageMs.map((ms) => ms.toFixed(0)).join(', ')} ms (median, longest)`,
    );
    if (userMs[0] > 1.5 * TICK_MS) problems.push('An announcement delays the messages of users.');
  }
}

async function measureQueries(): Promise<void> {
  const sizes = values.rows.split(',').map(Number);
  const queriesOf = await recordQueries();
  for (const rows of sizes) {
    const startedMs = performance.now();
    await fill(database, rows);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    console.log(
      `\n${database.name}, ${rows.toLocaleString('en-US')} notifications (filled in ${seconds} s)\n`,
    );
    const measurements = await measureAll(queriesOf, database);
    print(measurements);
    console.log(
      `\nDisk: ${await bytesPerRow(database, rows)} bytes per notification, with indexes, words and counters`,
    );
    for (const { name } of measurements.filter((measurement) => !isWithinLimit(measurement)))
      problems.push(`${rows} rows: "${name}" reads more than ten times the rows it returns, or is too slow.`);
  }
  if (database.connect) {
    problems.push(...(await raceSenders(database.connect)), ...(await raceWriters(database.connect)));
    const mails = await raceMailWorkers(database.connect);
    problems.push(...mails.problems);
    console.log(
      `\nMails claimed and acknowledged by 50 sessions: ${mails.mailsPerSecond.toFixed(0)} per second`,
    );
  }
}

async function measureAll(
  queriesOf: (target: ScaleTarget) => readonly ScaleQuery[],
  database: ScaleDatabase,
): Promise<readonly Measurement[]> {
  const [middle] = await database.query<{ created_at: string; id: string }>(
    `select created_at::text, id from public.notifications where recipient_id = $1 and status = 'unread'
     order by created_at desc offset (
       select unread / 2 from public.notification_counters where user_id = $1
     ) limit 1`,
    [heavyUser],
  );
  if (!middle) throw new Error('The heavy user has no notifications');
  const measurements: Measurement[] = [];
  const target = { user: heavyUser, id: middle.id, depth: { createdAt: middle.created_at, id: middle.id } };
  for (const query of queriesOf(target)) measurements.push(await measure(database, heavyUser, query));
  return measurements;
}

async function bytesPerRow(target: ScaleDatabase, rows: number): Promise<number> {
  const [size] = await target.query<{ bytes: number | string }>(
    `select pg_total_relation_size('public.notifications') + pg_total_relation_size('private.notification_words')
       + pg_total_relation_size('public.notification_counters') as bytes`,
  );
  return Math.round(Number(size?.bytes ?? 0) / rows);
}

function print(measurements: readonly Measurement[]): void {
  console.log('| Query | rows read | rows returned | ms | 8 kB pages |\n|---|---|---|---|---|');
  for (const { name, rowsRead, rowsReturned, milliseconds, buffers } of measurements)
    console.log(
      `| ${name} | ${rowsRead.toLocaleString('en-US')} | ${rowsReturned.toLocaleString('en-US')} | ${milliseconds.toFixed(1)} | ${buffers.toLocaleString('en-US')} |`,
    );
}

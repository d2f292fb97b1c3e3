/**
 * Whether the embedded Supabase grows: memory and rows after a week's requests and after many socket sessions. The
 * server's clock runs ahead, so that what is swept a day after its end is swept within the run. Prints JSON; memory
 * is in megabytes, after a collection.
 *
 * Run: `node --expose-gc --import tsx test/bench/local-supabase-soak.ts [requests] [sessions]`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { createUser, seedPassword, type TestUser } from '../support/local-supabase.ts';
import { spendSession, spendVisit, type Visitor } from './local-supabase-visits.ts';

const REQUESTS = Number(process.argv[2] ?? 100_000);
const SESSIONS = Number(process.argv[3] ?? 10_000);
const REPORTS = 10;
const VISITORS = 8;
const SWEEP_MS = 61_000;
/** The time between visits by the server's clock, at which 100,000 requests take a week. */
const VISIT_MS = 2 * 60_000;

interface Footprint {
  readonly after: number;
  readonly seconds: number;
  readonly heapMb: number;
  /** Memory outside of the heap: PostgreSQL's own memory and its files are here. */
  readonly externalMb: number;
  readonly rssMb: number;
  /** The size of the tables and their indexes. */
  readonly databaseMb: number;
  readonly rows: Readonly<Record<string, number>>;
}

let aheadMs = 0;
const startedMs = performance.now();
const supabase = await createLocalSupabase({
  config: false,
  port: 0,
  auth: { bcryptCost: 4 },
  now: () => Date.now() + aheadMs,
});
const visitors = await createVisitors(supabase);

const start = await measure(0);
const requests = await inPortions(REQUESTS, (visitor) => {
  aheadMs += VISIT_MS;
  return spendVisit(supabase, visitor);
});
const afterSweep = await sweepAndMeasure(REQUESTS);
const sessions = await inPortions(SESSIONS, (visitor) => spendSession(supabase, visitor));
const end = await sweepAndMeasure(SESSIONS);
await supabase.close();
console.log(JSON.stringify({ start, requests, afterSweep, sessions, end }, null, 2));

async function createVisitors(on: LocalSupabase): Promise<readonly Visitor[]> {
  const users: TestUser[] = [];
  for (let index = 0; index <= VISITORS; index += 1) {
    users.push(await createUser(on, `visitor-${index}@example.com`));
  }
  const [sender, ...others] = users;
  if (!sender) throw new Error('No sender exists');
  return others.map(({ id, email }) => ({ id, email, password: seedPassword, senderEmail: sender.email }));
}

/** Makes `total` requests or sessions with all visitors at once, and measures after each tenth. */
async function inPortions(
  total: number,
  spend: (visitor: Visitor) => Promise<number>,
): Promise<readonly Footprint[]> {
  const footprints: Footprint[] = [];
  let spent = 0;
  for (let portion = 1; portion <= REPORTS; portion += 1) {
    const target = (total * portion) / REPORTS;
    const work = async (visitor: Visitor) => {
      while (spent < target) {
        const done = await spend(visitor);
        spent += done;
      }
    };
    await Promise.all(visitors.map(work));
    const footprint = await measure(spent);
    footprints.push(footprint);
    console.error(JSON.stringify(footprint));
  }
  return footprints;
}

/** Waits for the sweeper, which runs once a minute. */
async function sweepAndMeasure(after: number): Promise<Footprint> {
  aheadMs += 86_400_000 * 1.5;
  await pause(SWEEP_MS);
  return measure(after);
}

async function measure(after: number): Promise<Footprint> {
  globalThis.gc?.();
  await pause(50);
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(1));
  const [size] = await supabase.database.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind = 'r'`,
  );
  const rows: Record<string, number> = {};
  for (const table of [
    'auth.sessions',
    'auth.refresh_tokens',
    'auth.flow_state',
    'auth.one_time_tokens',
    'realtime.outbox',
    'realtime.subscription',
    'public.notifications',
  ]) {
    const counted = await supabase.database
      .query<{ count: number }>(`select count(*)::int as count from ${table}`)
      .catch(() => []);
    const [count] = counted;
    if (count) rows[table] = count.count;
  }
  return {
    after,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    heapMb: megabytes(heapUsed),
    externalMb: megabytes(external),
    rssMb: megabytes(rss),
    databaseMb: megabytes(size?.bytes ?? 0),
    rows,
  };
}

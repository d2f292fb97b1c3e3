import { unreference } from '../platform/timers.ts';
import type { Database } from './database.ts';

/** The number of dead rows that triggers a vacuum of a table, similar to PostgreSQL's autovacuum. */
const DEAD_ROWS = 200;
/** The size of one segment of the write-ahead log. */
const LOG_BYTES = 16 * 1_048_576;

/** Vacuums tables and checkpoints the log, because the embedded PostgreSQL has no background processes. */
export async function vacuumDatabase(database: Database): Promise<void> {
  await database.query('select pg_stat_force_next_flush()');
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_all_tables
     where n_dead_tup > $1 + n_live_tup / 5 and schemaname <> 'pg_toast'`,
    [DEAD_ROWS],
  );
  for (const { name } of tables) await database.query(`vacuum ${name}`);
  const [log] = await database.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`,
  );
  if (log && log.bytes > LOG_BYTES) await database.query('checkpoint');
}

/** Runs the project's retention job, which `pg_cron` runs on a hosted project. Skips projects without the job. */
export async function runRetention(database: Database, nowMs: number): Promise<void> {
  const [job] = await database.query<{ exists: boolean }>(
    `select to_regproc('private.run_retention') is not null as exists`,
  );
  if (!job?.exists) return;
  await database.query(`call private.run_retention(called_at => $1)`, [new Date(nowMs).toISOString()]);
}

/** The longest delay of a timer in Node. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Delivers queued messages after each commit that queued some, and scheduled messages when they are due; on a hosted
 * project, a `pg_cron` job does so every second. Begins with messages that a stopped server left. Skips projects
 * without the queue.
 *
 * @param intervalMs delivers by a timer instead, as `pg_cron` does. Default: after each commit.
 * @returns a function that stops it, once the current delivery has ended.
 */
export async function startDelivery(
  database: Database,
  report: (problem: unknown) => void,
  intervalMs?: number,
): Promise<() => Promise<void>> {
  const [project] = await database.query<{ delivers: boolean; schedules: boolean }>(
    `select to_regproc('private.deliver_outgoing') is not null as delivers,
       to_regproc('private.next_message_at') is not null as schedules`,
  );
  if (!project?.delivers) return () => Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const deliver = async () => {
    await database.query('call private.deliver_outgoing(run_seconds => 0.2)');
    if (!project.schedules || intervalMs !== undefined) return;
    const [next] = await database.query<{ delay_ms: number | null }>(
      `select extract(epoch from private.next_message_at() - clock_timestamp())::float8 * 1000 as delay_ms`,
    );
    clearTimeout(timer);
    if (typeof next?.delay_ms !== 'number' || isStopped) return;
    timer = setTimeout(start, Math.min(Math.max(Math.ceil(next.delay_ms), 1), LONGEST_DELAY_MS));
    unreference(timer);
  };
  let delivery = Promise.resolve();
  function start(): void {
    delivery = deliver().catch(report);
  }
  if (intervalMs !== undefined) {
    const repeated = setInterval(start, intervalMs);
    unreference(repeated);
    return async () => {
      clearInterval(repeated);
      await delivery;
    };
  }
  await deliver();
  const stopListening = await database.listen('outgoing_notifications', start);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await stopListening();
    await delivery;
  };
}

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

/** Runs the project's retention job, which `pg_cron` runs on a hosted project. A project without the job is skipped. */
export async function runRetention(database: Database, nowMs: number): Promise<void> {
  const [job] = await database.query<{ exists: boolean }>(
    `select to_regproc('private.run_retention') is not null as exists`,
  );
  if (!job?.exists) return;
  await database.query(`call private.run_retention(called_at => $1)`, [new Date(nowMs).toISOString()]);
}

/**
 * Delivers what users sent, after each commit that queued something, as a job of `pg_cron` does each second on a hosted
 * project. Rows that a stopped server left behind are delivered first. A project without the queue is left alone.
 *
 * @returns a function that stops it, once the current delivery has ended.
 */
export async function startDelivery(
  database: Database,
  report: (problem: unknown) => void,
): Promise<() => Promise<void>> {
  const deliver = async () => {
    const [job] = await database.query<{ exists: boolean }>(
      `select to_regproc('private.deliver_outgoing') is not null as exists`,
    );
    if (job?.exists) await database.query('call private.deliver_outgoing()');
  };
  await deliver();
  let delivery = Promise.resolve();
  const stop = await database.listen('outgoing_notifications', () => {
    delivery = database.query('call private.deliver_outgoing()').then(() => undefined, report);
  });
  return async () => {
    await stop();
    await delivery;
  };
}

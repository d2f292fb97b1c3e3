import { become, handOver } from '../connect.ts';
import type { PgliteDatabase } from '../pglite-database.ts';
import { isDueAt, parseCronSchedule } from './cron-schedule.ts';

export interface CronOptions {
  readonly database: PgliteDatabase;
  /** Milliseconds since the epoch, by the clock of the project. */
  readonly now: () => number;
}

interface Job {
  readonly jobid: number;
  readonly schedule: string;
  readonly command: string;
  readonly username: string;
}

const MINUTE_MS = 60_000;

/**
 * Runs the jobs of the replacement for `pg_cron` one after another and records the runs. Runs that were missed while
 * the process was down are skipped.
 *
 * @returns a function that runs the due jobs; call it every second.
 */
export function createCronJobs({ database, now }: CronOptions): () => Promise<void> {
  const startedAtMs = now();
  let minuteMs = Math.floor(startedAtMs / MINUTE_MS);
  let isFirst = true;
  const lastRunsMs = new Map<number, number>();

  const isDue = ({ jobid, schedule }: Job, timeMs: number, isNewMinute: boolean): boolean => {
    const parsed = parseCronSchedule(schedule);
    if (parsed.type === 'start') return isFirst;
    if (parsed.type === 'minutes') return isNewMinute && isDueAt(parsed, timeMs);
    const lastRunMs = lastRunsMs.get(jobid) ?? startedAtMs;
    return timeMs - lastRunMs >= parsed.every * 1000;
  };
  return async () => {
    const timeMs = now();
    const jobs = await database.query<Job>(
      `select jobid, schedule, command, username from cron.job where active order by jobid`,
    );
    const isNewMinute = Math.floor(timeMs / MINUTE_MS) !== minuteMs;
    const due = jobs.filter((job) => isDue(job, timeMs, isNewMinute));
    minuteMs = Math.floor(timeMs / MINUTE_MS);
    isFirst = false;
    for (const job of due) {
      lastRunsMs.set(job.jobid, timeMs);
      await runJob(database, job, now);
    }
  };
}

async function runJob(database: PgliteDatabase, job: Job, now: () => number): Promise<void> {
  const { jobid, command, username } = job;
  const startedAt = new Date(now()).toISOString();
  const failure = await run(database, username, command).then(
    () => undefined,
    (problem: unknown) => (problem instanceof Error ? problem.message : String(problem)),
  );
  await database.query(
    `insert into cron.job_run_details (jobid, database, username, command, status, return_message, start_time, end_time)
     values ($1, current_database(), $2, $3, $4, $5, $6, $7)`,
    [
      jobid,
      username,
      command,
      failure === undefined ? 'succeeded' : 'failed',
      failure === undefined ? '' : `ERROR: ${failure}`,
      startedAt,
      new Date(now()).toISOString(),
    ],
  );
}

/** Runs without a transaction, because a job may call a procedure that commits. */
const run = (database: PgliteDatabase, username: string, command: string): Promise<void> =>
  database.session(async (session) => {
    await become(session, username);
    try {
      await session.query(`select set_config('role', $1, false)`, [username]);
      await session.exec(command);
    } finally {
      await session.exec('rollback');
      await handOver(session);
    }
  });

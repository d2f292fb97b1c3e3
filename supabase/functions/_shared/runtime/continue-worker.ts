import * as z from 'zod/mini';
import type { CallDatabase } from './database-functions.ts';
import type { FailureLog } from './failure-log.ts';

/** The body of a call of a worker by the timer, or by its earlier run. */
export const workerCallSchema = z.object({ worker: z.optional(z.int().check(z.positive())) });

/**
 * Has the database start the next run of this worker. The timer starts it otherwise, so a failure is only logged.
 *
 * @param worker its number; undefined: the run was not called by the timer, and has no next one.
 */
export async function continueWorker(
  functionName: string,
  worker: number | undefined,
  callDatabase: CallDatabase,
  log: FailureLog,
): Promise<void> {
  if (worker === undefined) return;
  try {
    await callDatabase('continue_worker', { function_name: functionName, worker }, z.boolean());
  } catch (problem) {
    log.report('next_run_not_started', { problem: String(problem) });
  }
}

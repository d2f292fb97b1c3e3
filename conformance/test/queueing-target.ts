import { setTimeout as delay } from 'node:timers/promises';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import type { ConformanceTarget } from '../src/target/target.ts';

/** An embedded Supabase that delivers with a job like a hosted project, instead of at the commit. */
export interface QueueingTarget {
  readonly target: ConformanceTarget;
  /** Runs the job every `pauseMs` milliseconds. Returns a function that stops it, once the current run has ended. */
  deliverEvery(pauseMs: number): () => Promise<void>;
  close(): Promise<void>;
}

export async function startQueueingTarget(): Promise<QueueingTarget> {
  const supabase = await startLocalSupabase();
  const { query } = supabase.database;
  await query('drop trigger announce_outgoing on private.outgoing_notifications');
  return {
    target: createLocalTarget(supabase),
    deliverEvery(pauseMs) {
      const stopped = new AbortController();
      const run = async () => {
        while (!stopped.signal.aborted) {
          await delay(pauseMs);
          await query('call private.deliver_outgoing()');
        }
      };
      const runs = run();
      return async () => {
        stopped.abort();
        await runs;
      };
    },
    close: () => supabase.close(),
  };
}

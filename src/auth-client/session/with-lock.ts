import type { Platform } from '../../platform/platform.ts';
import { AuthError } from '../errors.ts';

/** The part of the platform that a wait for a lock needs; `report` receives the `timeout` that names the holder. */
export type LockPlatform = Pick<Platform, 'clock' | 'locks' | 'report'>;

/** Longest wait for a lock around reads and writes of storage. It is held for milliseconds, or for 3 s if the storage hangs. */
export const STORE_LOCK_WAIT_MS = 5_000;

/**
 * Runs a task while holding a lock. A lock that is not free within `waitMs` is stolen from its hanging holder, which is
 * reported. The holder's task may still run, so code under a lock must stay correct while another task runs, see decision 040.
 */
export async function withLock<T>(
  { clock, locks, report }: LockPlatform,
  name: string,
  waitMs: number,
  task: () => Promise<T>,
): Promise<T> {
  const waiting = new AbortController();
  const sinceMs = clock.now();
  const timer = clock.setTimer(() => waiting.abort(), waitMs);
  let isGranted = false;
  try {
    return await locks.hold(
      name,
      () => {
        isGranted = true;
        timer.cancel();
        return task();
      },
      { signal: waiting.signal },
    );
  } catch (problem) {
    if (isGranted || !waiting.signal.aborted) throw problem;
  } finally {
    timer.cancel();
  }
  // Requested before the lock is stolen, and not awaited: afterwards the holder is this client.
  const holder = locks.holderOf?.(name) ?? Promise.resolve(null);
  void holder.then((id) => report(new AuthError('timeout', describe(name, id, sinceMs))));
  return locks.hold(name, task, { steal: true });
}

function describe(name: string, holderId: string | null, sinceMs: number): string {
  const holder = holderId === null ? 'a client' : `the client ${holderId}`;
  return `The lock ${name} was taken from ${holder}, which had held it since ${new Date(sinceMs).toISOString()} or longer`;
}

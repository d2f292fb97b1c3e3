import type { Platform } from '../../platform/platform.ts';
import { AuthError } from '../errors.ts';

type LockPlatform = Pick<Platform, 'clock' | 'locks'>;

/** Runs a task while holding a lock. @throws {AuthError} `timeout` if the lock is not free within `waitMs`; the task did not run. */
export function withLock<T>(
  { clock, locks }: LockPlatform,
  name: string,
  waitMs: number,
  task: () => Promise<T>,
): Promise<T> {
  const waiting = new AbortController();
  const timer = clock.setTimer(() => waiting.abort(new AuthError('timeout', `Waited for ${name}`)), waitMs);
  const run = () => {
    timer.cancel();
    return task();
  };
  return locks.hold(name, run, { signal: waiting.signal }).finally(() => timer.cancel());
}

/** Runs a task while holding a lock, or without the lock if it is not free within `waitMs`. */
export async function withLockOrUnlocked(
  platform: LockPlatform,
  name: string,
  waitMs: number,
  task: () => Promise<void>,
): Promise<void> {
  let isAcquired = false;
  try {
    await withLock(platform, name, waitMs, () => {
      isAcquired = true;
      return task();
    });
  } catch (problem) {
    if (isAcquired) throw problem;
    await task();
  }
}

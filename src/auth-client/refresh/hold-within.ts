import type { Platform } from '../../platform/platform.ts';
import { AuthError } from '../errors.ts';

/** Runs a task under a lock. @throws {AuthError} `timeout` if others hold it for so long; the task then has not begun. */
export function holdWithin<T>(
  waitMs: number,
  { clock, locks }: Platform,
  name: string,
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

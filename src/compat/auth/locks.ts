import { createPlatform } from '../../platform/browser-platform.ts';
import { createRealmLocks } from '../../platform/realm-locks.ts';
import type { Locks } from '../../platform/platform.ts';

/** A lock in the vendor's form: runs `fn` while it holds the lock `name`. */
export type LockFunc = <R>(name: string, acquireTimeout: number, fn: () => Promise<R>) => Promise<R>;

/** The lock was not free in time. */
export class NavigatorLockAcquireTimeoutError extends Error {
  /** Distinguishes the error from those of the task. */
  readonly isAcquireTimeout = true;
}

/** Creates a lock whose wait is in milliseconds; below 0 it waits forever. */
const lockBy =
  (locks: Locks): LockFunc =>
  (name, acquireTimeout, fn) => {
    const waiting = new AbortController();
    const refuse = () =>
      waiting.abort(new NavigatorLockAcquireTimeoutError(`The lock ${name} was not free in time`));
    const timer = acquireTimeout < 0 ? undefined : setTimeout(refuse, acquireTimeout);
    const task = () => {
      clearTimeout(timer);
      return fn();
    };
    return locks.hold(name, task, { signal: waiting.signal });
  };

/** Excludes other callers of this process. */
export const processLock: LockFunc = lockBy(createRealmLocks());

/** Excludes other tabs too, where the browser has Web Locks. */
export const navigatorLock: LockFunc = (name, acquireTimeout, fn) =>
  lockBy(createPlatform().locks)(name, acquireTimeout, fn);

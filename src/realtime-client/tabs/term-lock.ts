import type { Locks } from '../../platform/platform.ts';

/** The lock by which one tab leads during a term. */
export interface TermLock {
  /** Waits for the lock of this term, instead of that of another. */
  acquire(term: number): void;
  release(): void;
}

export function createTermLock(locks: Locks, name: string, onGranted: (term: number) => void): TermLock {
  let pending: AbortController | undefined;
  const release = () => pending?.abort();
  return {
    acquire(term) {
      release();
      const current = new AbortController();
      const { signal } = current;
      pending = current;
      const hold = () =>
        new Promise<void>((resolve) => {
          if (signal.aborted) return resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
          onGranted(term);
        });
      // It rejects only when the wait for the lock was given up.
      locks.hold(`${name}:${term}`, hold, { signal }).catch(() => undefined);
    },
    release,
  };
}

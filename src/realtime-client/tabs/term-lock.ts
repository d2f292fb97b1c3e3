import type { Locks } from '../../platform/platform.ts';

/** The lock whose holder leads during a term. */
export interface TermLock {
  /** Requests the lock of this term and releases the previous one. */
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
      const holdUntilReleased = () =>
        new Promise<void>((resolve) => {
          if (signal.aborted) return resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
          onGranted(term);
        });
      // Rejects only when the request was aborted.
      locks.hold(`${name}:${term}`, holdUntilReleased, { signal }).catch(() => undefined);
    },
    release,
  };
}

import type { Clock } from './platform.ts';

/** What ends a wait before its work does. */
interface Ends {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** In milliseconds; only with a clock. */
  readonly delayMs?: number;
}

/**
 * Settles as the work does, or as `end` does as soon as the signal aborts or the time is over, whichever is first. The work itself
 * continues.
 */
export function untilEnded<T>(
  start: () => Promise<T>,
  { signal, clock, delayMs = 0 }: Ends,
  end: (cause: 'aborted' | 'timeout') => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (cause: 'aborted' | 'timeout') => {
      release();
      try {
        resolve(end(cause));
      } catch (reason) {
        reject(reason);
      }
    };
    const abort = () => finish('aborted');
    const release = () => {
      timer?.cancel();
      signal?.removeEventListener('abort', abort);
    };
    const releaseAnd =
      <R>(settle: (result: R) => void) =>
      (result: R) => {
        release();
        settle(result);
      };
    const working = start();
    const timer = clock?.setTimer(() => finish('timeout'), delayMs);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    working.then(releaseAnd(resolve), releaseAnd(reject));
  });
}

/** Settles as the work does, or rejects with the signal's reason as soon as it aborts. The work itself continues. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return untilEnded(
    () => work,
    { signal },
    () => {
      throw signal.reason;
    },
  );
}

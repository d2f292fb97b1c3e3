import type { Locks } from './platform.ts';

/** Exclusive locks among the callers of one realm: the fallback where Web Locks are missing. */
export function createRealmLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    scope: 'realm',
    hold(name, task, { signal } = {}) {
      const previous = tails.get(name) ?? Promise.resolve();
      const run = previous.then(() => {
        signal?.throwIfAborted();
        return task();
      });
      const tail = run.catch(() => undefined);
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      return signal ? Promise.race([run, rejectOnAbort(signal, run)]) : run;
    },
  };
}

function rejectOnAbort(signal: AbortSignal, run: Promise<unknown>): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const forget = () => signal.removeEventListener('abort', abort);
    run.then(forget, forget);
  });
}

import type { Locks } from './platform.ts';
import { untilAborted } from './until-aborted.ts';

/** Exclusive locks among the callers of one realm: the fallback where Web Locks are missing. */
export function createRealmLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    scope: 'realm',
    hold(name, task, options = {}) {
      const signal = 'signal' in options ? options.signal : undefined;
      const previous = ('steal' in options ? undefined : tails.get(name)) ?? Promise.resolve();
      const begin = () => {
        if (signal?.aborted) throw signal.reason;
        return task();
      };
      // Rejects where Cloudflare Workers has ended the incoming request of the previous holder.
      const run = previous.then(begin, begin);
      const tail = run.catch(() => undefined);
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      return untilAborted(run, signal);
    },
  };
}

import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import type { Store } from './store.ts';

/** How long storage may take. A blocked IndexedDB never answers at all. */
const ANSWER_MS = 3_000;

/**
 * A store that cannot fail: what `primary` refuses lives in memory until another program writes the key anew.
 *
 * @param onProblem is told each failure.
 */
export function createFallbackStore(
  primary: Store,
  clock: Clock,
  onProblem: (problem: unknown) => void,
): Store {
  /** Value by key, beside what the primary held when it refused it. */
  const memory = new Map<string, { readonly value: string | null; readonly over: string | null }>();

  const attempt = async <T>(task: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await withinDeadline(clock, ANSWER_MS, undefined, async () => task());
    } catch (problem) {
      onProblem(problem);
      return undefined;
    }
  };
  const read = async (key: string) => (await attempt(() => primary.get(key))) ?? null;
  const write = async (key: string, value: string | null) => {
    const done = await attempt(async () => {
      await (value === null ? primary.remove(key) : primary.set(key, value));
      return true;
    });
    if (done) memory.delete(key);
    else memory.set(key, { value, over: await read(key) });
  };

  return {
    async get(key) {
      const stored = await read(key);
      const kept = memory.get(key);
      if (kept && kept.over === stored) return kept.value;
      memory.delete(key);
      return stored;
    },
    set: write,
    remove: (key) => write(key, null),
  };
}

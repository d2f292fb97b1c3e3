import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import type { Store } from './store.ts';

/** Longest wait for the primary store: a blocked IndexedDB never settles. */
const STORE_TIMEOUT_MS = 3_000;

/** The result of a read. `failed`: the store threw or was slow, so its content is unknown. */
export type StoreRead =
  | { readonly outcome: 'value'; readonly value: string }
  | { readonly outcome: 'missing' }
  | {
      readonly outcome: 'failed';
      /** What was last read or written under the key; null if nothing is known. */
      readonly lastKnown: string | null;
    };

/** A store whose operations never throw, and which keeps in memory what the primary store did not accept. */
export interface ResilientStore {
  read(key: string): Promise<StoreRead>;
  /** Writes a value, or removes the key for null. */
  write(key: string, value: string | null): Promise<void>;
  /** Keeps a value in memory; a later read writes it, if the primary store has not changed since its last read. */
  writeLater(key: string, value: string | null): void;
  /** For modules that treat a failed read as the last known value. */
  readonly asStore: Store;
}

export interface StoreHealthListener {
  /** Called for each failure of the primary store. */
  readonly onFailure: (problem: unknown) => void;
  /** Called when the primary store works again and holds all values. */
  readonly onRecovery: () => void;
}

interface PendingWrite {
  readonly value: string | null;
  /** What the primary store held before: another value there later means that another program wrote. */
  readonly replaces: string | null;
}

export function createResilientStore(
  primary: Store,
  clock: Clock,
  { onFailure, onRecovery }: StoreHealthListener,
): ResilientStore {
  const pendingWrites = new Map<string, PendingWrite>();
  const lastStored = new Map<string, string | null>();

  /** The result of an operation of the primary store; null after reporting that it failed. */
  const attempt = async <T>(operation: () => Promise<T> | T): Promise<{ readonly result: T } | null> => {
    try {
      const result = await withinDeadline(clock, STORE_TIMEOUT_MS, undefined, async () => operation());
      return { result };
    } catch (problem) {
      onFailure(problem);
      return null;
    }
  };
  const readPrimary = async (key: string) => {
    const done = await attempt(() => primary.get(key));
    if (done) lastStored.set(key, done.result);
    return done;
  };
  const writePrimary = async (key: string, value: string | null): Promise<boolean> => {
    const done = await attempt(() => (value === null ? primary.remove(key) : primary.set(key, value)));
    if (!done) return false;
    lastStored.set(key, value);
    pendingWrites.delete(key);
    return true;
  };
  const writeLater = (key: string, value: string | null) => {
    pendingWrites.set(key, { value, replaces: lastStored.get(key) ?? null });
  };

  const read = async (key: string): Promise<StoreRead> => {
    const done = await readPrimary(key);
    const pending = pendingWrites.get(key);
    if (!done) {
      const lastKnown = pending ? pending.value : (lastStored.get(key) ?? null);
      return { outcome: 'failed', lastKnown };
    }
    const isPending = pending?.replaces === done.result;
    const value = pending && isPending ? pending.value : done.result;
    if (isPending) await writePrimary(key, value);
    else pendingWrites.delete(key);
    if (pendingWrites.size === 0) onRecovery();
    return value === null ? { outcome: 'missing' } : { outcome: 'value', value };
  };
  const write = async (key: string, value: string | null) => {
    if (await writePrimary(key, value)) return;
    // The store may still hold an older value: remember it, so that it does not replace the one in memory.
    await readPrimary(key);
    writeLater(key, value);
  };
  const get = async (key: string) => {
    const result = await read(key);
    if (result.outcome === 'failed') return result.lastKnown;
    return result.outcome === 'value' ? result.value : null;
  };

  return { read, write, writeLater, asStore: { get, set: write, remove: (key) => write(key, null) } };
}

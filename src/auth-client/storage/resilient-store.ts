import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import type { AuthStore } from './store.ts';

/** Longest wait for the primary storage: a blocked IndexedDB never settles. */
const STORE_TIMEOUT_MS = 3_000;

export interface StoreRead {
  /** Null if the key is missing. After a failed read: what was last read or written under the key, null if nothing is known. */
  readonly value: string | null;
  /** Whether the storage threw or was slow, so that its content is unknown. */
  readonly isFailed: boolean;
}

/** Receives failures and recoveries of the primary storage. */
export interface StoreHealthListener {
  onFailure(problem: unknown): void;
  /** Called when the primary storage works again and holds all values. */
  onRecovery(): void;
}

interface PendingWrite {
  readonly value: string | null;
  /** What the primary storage held before: another value there later means that another program wrote. */
  readonly replaces: string | null;
}

/**
 * A session storage that never throws, and keeps in memory what the primary storage did not accept. If a read fails, it returns the last
 * known value.
 */
export class ResilientStore implements AuthStore {
  readonly #primary: AuthStore;
  readonly #clock: Clock;
  readonly #health: StoreHealthListener;
  /** Created by the first failure. */
  #pendingWrites: Map<string, PendingWrite> | undefined;
  readonly #lastStored = new Map<string, string | null>();

  constructor(primary: AuthStore, clock: Clock, health: StoreHealthListener) {
    this.#primary = primary;
    this.#clock = clock;
    this.#health = health;
  }

  async get(key: string): Promise<string | null> {
    return (await this.read(key)).value;
  }

  set(key: string, value: string): Promise<void> {
    return this.write(key, value);
  }

  remove(key: string): Promise<void> {
    return this.write(key, null);
  }

  async read(key: string): Promise<StoreRead> {
    const isFailed = !(await this.#readPrimary(key));
    const stored = this.#lastStored.get(key) ?? null;
    const pending = this.#pendingWrites?.get(key);
    if (isFailed) return { value: pending ? pending.value : stored, isFailed };
    const isPending = pending?.replaces === stored;
    const value = pending && isPending ? pending.value : stored;
    if (isPending) await this.#writePrimary(key, value);
    else this.#pendingWrites?.delete(key);
    if (!this.#pendingWrites?.size) this.#health.onRecovery();
    return { value, isFailed };
  }

  /** Writes a value, or removes the key for null. */
  async write(key: string, value: string | null): Promise<void> {
    if (await this.#writePrimary(key, value)) return;
    // The storage may still hold an older value: remember it, so that it does not replace the one in memory.
    await this.#readPrimary(key);
    this.writeLater(key, value);
  }

  /** Keeps a value in memory; a later read writes it, if the primary storage has not changed since its last read. */
  writeLater(key: string, value: string | null): void {
    this.#pendingWrites ??= new Map();
    this.#pendingWrites.set(key, { value, replaces: this.#lastStored.get(key) ?? null });
  }

  /** The result of an operation of the primary storage; null after reporting that it failed. A late result does not count. */
  async #attempt<T>(operation: () => Promise<T> | T): Promise<{ readonly result: T } | null> {
    try {
      const result = await withinDeadline(this.#clock, STORE_TIMEOUT_MS, undefined, async () => operation());
      return { result };
    } catch (problem) {
      this.#health.onFailure(problem);
      return null;
    }
  }

  async #readPrimary(key: string): Promise<boolean> {
    const done = await this.#attempt(() => this.#primary.get(key));
    if (done) this.#lastStored.set(key, done.result);
    return !!done;
  }

  async #writePrimary(key: string, value: string | null): Promise<boolean> {
    const primary = this.#primary;
    const done = await this.#attempt(() => (value === null ? primary.remove(key) : primary.set(key, value)));
    if (!done) return false;
    this.#lastStored.set(key, value);
    this.#pendingWrites?.delete(key);
    return true;
  }
}

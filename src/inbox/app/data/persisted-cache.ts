import { clear, delMany, get, keys, set } from 'idb-keyval';
import type { Clock, Page, Timer } from 'supabase-protocol-clients/platform';
import type { Cached } from '../../shared/cached.ts';
import { databaseNames, openStore } from '../../shared/open-store.ts';

/** One user's values in IndexedDB, so that a reload shows the last state at once. */
export interface PersistedCache {
  /** A value of this visit or an earlier one, of any age. */
  get(key: string): Cached<unknown> | undefined;
  /**
   * Sets a value, which is written soon and when the page is hidden. `read` is called at the write; null keeps the
   * previous value.
   */
  set(key: string, read: () => Cached<unknown> | null): void;
  close(): void;
  /** Stops persisting, and deletes the persisted values of all users. */
  wipe(): Promise<void>;
}

export interface PersistedCacheOptions {
  readonly userId: string;
  /** The session that the values belong to; another one, also of the same user, starts with an empty cache. */
  readonly sessionId: string;
  readonly clock: Clock;
  readonly page: Page;
  readonly report: (problem: unknown) => void;
}

interface PersistedRecord {
  readonly format: number;
  readonly sessionId: string;
  readonly values: Readonly<Record<string, Cached<unknown>>>;
}

const storeName = 'users';
/** Increase it when the persisted shape changes: older copies are then deleted. */
const format = 7;
const writeDelayMs = 1_000;

/** Opens the cache with the persisted values. Never rejects: without storage the values stay in memory only. */
export async function openPersistedCache(options: PersistedCacheOptions): Promise<PersistedCache> {
  const { userId, sessionId, clock, page, report } = options;
  const store = openStore(databaseNames.cache, storeName);
  const values = new Map<string, Cached<unknown>>();
  const unwritten = new Map<string, () => Cached<unknown> | null>();
  let timer: Timer | null = null;
  let isClosed = false;

  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (problem) {
      report(problem);
    }
  };
  const write = async () => {
    timer?.cancel();
    timer = null;
    if (isClosed) return;
    for (const [key, read] of unwritten) {
      const cached = read();
      if (cached) values.set(key, cached);
    }
    unwritten.clear();
    const record: PersistedRecord = { format, sessionId, values: Object.fromEntries(values) };
    await attempt(() => set(userId, record, store));
  };

  await attempt(async () => {
    const record = await get<PersistedRecord>(userId, store);
    const isUsable = record?.format === format && record.sessionId === sessionId;
    for (const [key, cached] of Object.entries(isUsable ? record.values : {})) values.set(key, cached);
    // Delete the values of other users and sessions.
    const unusable = (await keys(store)).filter((key) => key !== userId || values.size === 0);
    if (unusable.length > 0) await delMany(unusable, store);
  });
  const stopWatching = page.subscribe((signal) => {
    if (signal === 'hidden' && timer) void write();
  });
  const close = () => {
    isClosed = true;
    timer?.cancel();
    stopWatching();
  };

  return {
    get: (key) => unwritten.get(key)?.() ?? values.get(key),
    set(key, read) {
      unwritten.set(key, read);
      if (!isClosed) timer ??= clock.setTimer(() => void write(), writeDelayMs);
    },
    close,
    async wipe() {
      close();
      values.clear();
      unwritten.clear();
      await attempt(() => clear(store));
    },
  };
}

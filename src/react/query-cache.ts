import type { AuthClient } from '../auth-client/index.ts';
import type { PageSignal, Platform, Timer } from '../platform/index.ts';
import type { Query } from '../rest-client/index.ts';
import { type AppliedChange, createQueryStore, type QueryStore } from './query-store.ts';

/** How long a result stays in memory that no component shows, in milliseconds. */
const unusedTimeMs = 300_000;

/** The reads of one set of clients, shared by all components. */
export interface QueryCache {
  find(key: string): QueryStore<unknown> | undefined;
  /** The store of a key; a new one for a query that was not read yet, with data from elsewhere. */
  open<Data>(key: string, query: Query<Data>, initialData?: Data): QueryStore<Data>;
  /** Restores the session, once for all callers. */
  start(): Promise<unknown>;
  /** Reads for a component that waits. Returns the same promise until the read has ended. */
  load(key: string, query: Query<unknown>): Promise<void>;
  /** Lets the next component read again after a failure that was thrown. */
  forget(key: string): void;
  /** Marks the results of these queries, by default of all, as outdated; reads again those that a component shows. */
  invalidate(queries?: readonly Query<unknown>[]): Promise<void>;
  /** Changes the shown data of a query; does nothing if the query was not read. */
  apply(query: Query<unknown>, change: (data: unknown) => unknown): AppliedChange | undefined;
}

export interface CachedClients {
  readonly auth: Pick<AuthClient, 'start' | 'subscribe' | 'getSnapshot'>;
  readonly platform: Pick<Platform, 'clock' | 'page' | 'report'>;
}

/** Identifies a read: the request, and the user whose rows it returns. */
export const keyOf = (query: Query<unknown>, userId: string | null): string =>
  JSON.stringify([userId, query]);

// The clients outlive every component: a component that suspends before it mounts finds its read again.
const caches = new WeakMap<CachedClients, QueryCache>();

export function queryCacheOf(clients: CachedClients): QueryCache {
  const known = caches.get(clients);
  if (known) return known;
  const cache = createQueryCache(clients);
  caches.set(clients, cache);
  return cache;
}

function createQueryCache({ auth, platform }: CachedClients): QueryCache {
  const { clock, page, report } = platform;
  const stores = new Map<string, QueryStore<unknown>>();
  const userId = () => auth.getSnapshot().user?.id ?? null;
  let ownerId: string | null | undefined;
  let started: Promise<unknown> | undefined;

  /** Drops the rows of the previous user. */
  const followUser = () => {
    if (auth.getSnapshot().status === 'loading' || userId() === ownerId) return;
    ownerId = userId();
    for (const store of stores.values()) store.close();
    stores.clear();
  };
  /** Changes were not read while the page was hidden or offline. */
  const followPage = (signal: PageSignal) => {
    if ((signal !== 'visible' && signal !== 'online') || !page.isOnline()) return;
    for (const store of stores.values()) store.renew();
  };
  const removals = new Map<string, Timer>();
  const removeLater = (key: string, delayMs = unusedTimeMs) => {
    const remove = () => {
      removals.delete(key);
      if (!stores.get(key)?.isUsed()) stores.delete(key);
    };
    removals.get(key)?.cancel();
    removals.set(key, clock.setTimer(remove, delayMs));
  };
  const open = <Data>(key: string, query: Query<Data>, initialData?: Data): QueryStore<Data> => {
    if (ownerId === undefined) {
      ownerId = userId();
      auth.subscribe(followUser);
      page.subscribe(followPage);
    }
    const known = stores.get(key) as QueryStore<Data> | undefined;
    const store = known ?? createQueryStore(query, clock, () => removeLater(key), initialData);
    if (!known) stores.set(key, store);
    return store;
  };
  return {
    find: (key) => stores.get(key),
    open,
    start: () => (started ??= auth.start().catch(report)),
    load(key, query) {
      const store = open(key, query);
      if (!store.isUsed()) removeLater(key);
      return store.load();
    },
    forget: (key) => removeLater(key, 0),
    async invalidate(queries) {
      const keys = queries && new Set(queries.map((query) => keyOf(query, userId())));
      const outdated = [...stores].filter(([key]) => !keys || keys.has(key));
      await Promise.all(outdated.map(([, store]) => store.invalidate()));
    },
    apply: (query, change) => stores.get(keyOf(query, userId()))?.apply(change),
  };
}

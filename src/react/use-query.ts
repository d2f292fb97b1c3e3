import { use, useState, useSyncExternalStore } from 'react';
import { duration, rangeProblem } from '../platform/number-options.ts';
import type { Query } from '../rest-client/index.ts';
import { keyOf, type QueryCache, queryCacheOf } from './query-cache.ts';
import { type QuerySnapshot, snapshotOf } from './query-store.ts';
import { useProvidedClients } from './supabase-provider.tsx';
import { useAuth } from './use-auth.ts';

/** How {@link useQuery} reads. */
export interface UseQueryOptions<Data> {
  /**
   * How old a result may be, in milliseconds, for a component to mount, or the page to become visible or online again, without another
   * request. Infinity: for ever; a negative number or NaN throws a `RangeError`. Default 0.
   */
  readonly staleTimeMs?: number;
  /**
   * A result from elsewhere, such as one that the server has rendered for this user. It is shown until the first request has
   * ended. Default: none.
   */
  readonly initialData?: NoInfer<Data>;
}

/** What {@link useQuery} returns. */
export interface QueryState<Data> extends QuerySnapshot<Data> {
  /** Sends the query again. */
  readonly refetch: () => void;
}

/** What {@link useSuspenseQuery} returns. */
export interface SuspenseQueryState<Data> extends QueryState<Data> {
  readonly status: 'stale' | 'success' | 'error';
  readonly data: Data;
}

/**
 * Executes a read once the session has loaded, and shares it with all components: they send one request and show one result,
 * which stays in memory for five minutes after the last of them has left. The query may be built again at each render: its
 * request and the user's id identify it. The result of an earlier query or of another user is never shown for a later one.
 *
 * When the page becomes visible or online again, what is shown is read again. On a server nothing is sent, and `initialData` is shown.
 *
 * @param query null reads nothing, for a query that needs a value that is not available yet.
 * @example
 * ```tsx
 * import { useQuery, useSupabase } from 'supabase-protocol-clients/react';
 *
 * export function Unread() {
 *   const { rest } = useSupabase<Database>();
 *   const { data, error } = useQuery(rest.from('notifications').select('id').eq('status', 'unread'));
 *   if (error) return <p role="alert">{error.message}</p>;
 *   return <p>{data === undefined ? 'Loading…' : `${data.length} unread`}</p>;
 * }
 * ```
 */
export function useQuery<Data>(
  query: Query<Data> | null,
  options: UseQueryOptions<Data> = {},
): QueryState<Data> {
  const { store } = useCachedQuery(query, options);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  return { ...snapshot, refetch: store.refetch };
}

/**
 * As {@link useQuery}, within `<Suspense>`: it renders when there is data. An error without data goes to the error boundary; when the
 * boundary renders the component again, the query is sent again. Queries of several components are sent at once if none of them is
 * within another.
 *
 * @throws {RestError} to the boundary. On a server any other error, without `initialData`: React shows the fallback of
 * `<Suspense>` and reads in the browser.
 * @example
 * ```tsx
 * import { Suspense } from 'react';
 * import { useSupabase, useSuspenseQuery } from 'supabase-protocol-clients/react';
 *
 * function Titles() {
 *   const { rest } = useSupabase<Database>();
 *   const { data } = useSuspenseQuery(rest.from('notifications').select('id, content').limit(20));
 *   return <ul>{data.map(({ id, content }) => <li key={id}>{content}</li>)}</ul>;
 * }
 * export const Page = () => <Suspense fallback={<p>Loading…</p>}><Titles /></Suspense>;
 * ```
 */
export function useSuspenseQuery<Data>(
  query: Query<Data>,
  options: UseQueryOptions<Data> = {},
): SuspenseQueryState<Data> {
  const { cache, key, store } = useCachedQuery(query, options, mountTimeMs);
  const isServer = useSyncExternalStore(
    neverChanges,
    () => false,
    () => true,
  );
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  const { status, data, error } = snapshot;
  const hasData = data !== undefined && status !== 'loading';
  if (isServer && !hasData) throw new Error('useSuspenseQuery reads in the browser only');
  if (error && key !== null && !hasData) {
    cache.forget(key);
    throw error;
  }
  // React requires `use` also in the render that ends the wait.
  use(hasData ? ended : key === null ? cache.start() : cache.load(key, query));
  if (!hasData) throw new Error('A read has ended without a result');
  return { status, data, error, refetch: store.refetch };
}

/** A component that has waited for a result mounts within this time, and must not read again. */
const mountTimeMs = 1000;

/** A promise that React treats as fulfilled, so that `use` does not wait for it. */
const ended = Object.assign(Promise.resolve(), { status: 'fulfilled', value: undefined });

interface CachedQuery<Data> {
  readonly cache: QueryCache;
  /** Null while the user is unknown, and without a query. */
  readonly key: string | null;
  readonly store: {
    readonly subscribe: (listener: () => void) => () => void;
    readonly getSnapshot: () => QuerySnapshot<Data>;
    readonly getServerSnapshot: () => QuerySnapshot<Data>;
    readonly refetch: () => void;
  };
}

function useCachedQuery<Data>(
  query: Query<Data> | null,
  { staleTimeMs = 0, initialData }: UseQueryOptions<Data>,
  leastStaleTimeMs = 0,
): CachedQuery<Data> {
  const problem = rangeProblem({ staleTimeMs }, { staleTimeMs: duration });
  // The class RestError would bring the REST client into pages that load it later.
  if (problem) throw new RangeError(problem);
  const cache = queryCacheOf(useProvidedClients());
  const { status, user } = useAuth();
  const userId = status === 'loading' ? undefined : (user?.id ?? null);
  const request = JSON.stringify(query);
  const ownData = useIsFirst(request, userId) ? initialData : undefined;
  const key = query && userId !== undefined ? keyOf(query, userId) : null;
  const create = () => ({
    cache,
    key,
    request,
    store: bindStore(cache, key, query, Math.max(staleTimeMs, leastStaleTimeMs), ownData),
  });
  const [kept, setKept] = useState(create);
  const isKept = kept.cache === cache && kept.key === key && kept.request === request;
  const current = isKept ? kept : create();
  if (!isKept) setKept(current);
  return current;
}

/** The store of a key for `useSyncExternalStore`; nothing is sent before a component subscribes. */
function bindStore<Data>(
  cache: QueryCache,
  key: string | null,
  query: Query<Data> | null,
  staleTimeMs: number,
  initialData: Data | undefined,
): CachedQuery<Data>['store'] {
  const initial = snapshotOf(initialData);
  const getServerSnapshot = () => initial;
  if (key === null || !query)
    return { subscribe: neverChanges, getSnapshot: getServerSnapshot, getServerSnapshot, refetch: () => {} };
  const open = () => cache.open(key, query, initialData);
  return {
    subscribe: (listener) => open().subscribe(listener, staleTimeMs),
    getSnapshot() {
      const snapshot = cache.find(key)?.getSnapshot() as QuerySnapshot<Data> | undefined;
      return snapshot && snapshot.status !== 'loading' ? snapshot : initial;
    },
    getServerSnapshot,
    refetch: () => void open().refetch(),
  };
}

/** Whether a component still shows the query and the user that it was mounted for; initial data is valid for these only. */
function useIsFirst(request: string, userId: string | null | undefined): boolean {
  const [first, setFirst] = useState({ request, userId });
  // The user of a page that was rendered on a server is known once the browser has loaded the session.
  const isUserKnown = first.userId !== undefined;
  if (!isUserKnown && userId !== undefined) setFirst({ ...first, userId });
  return first.request === request && (!isUserKnown || first.userId === userId);
}

const neverChanges = () => () => {};

import { useState, useSyncExternalStore } from 'react';
import type { Query } from '../rest-client/index.ts';
import { createQueryStore, type QuerySnapshot } from './query-store.ts';
import { useAuth } from './use-auth.ts';

/** What {@link useQuery} returns. */
export interface QueryState<Data> extends QuerySnapshot<Data> {
  /** Sends the query again. */
  readonly refetch: () => void;
}

/**
 * Executes a read once the session has loaded. The query may be built again at each render: its request and the user's id
 * identify it. The result of an earlier query or of another user is never shown for a later one. For caching across
 * components use TanStack Query, with `queryOptions` of `/rest-client/tanstack-query`.
 *
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
export function useQuery<Data>(query: Query<Data>): QueryState<Data> {
  const { status, user } = useAuth();
  const key = JSON.stringify([query, user?.id]);
  const [kept, setKept] = useState(() => ({ key, store: createQueryStore(query) }));
  const current = kept.key === key ? kept : { key, store: createQueryStore(query) };
  if (current !== kept) setKept(current);
  const { store } = current;
  const subscribe = status === 'loading' ? waitForSession : store.subscribe;
  const snapshot = useSyncExternalStore(subscribe, store.getSnapshot, store.getSnapshot);
  return { ...snapshot, refetch: store.refetch };
}

/** Subscribes to nothing while the session loads: `useAuth` renders the component again when it has. */
const waitForSession = () => () => {};

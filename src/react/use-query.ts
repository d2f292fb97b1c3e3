import { useState, useSyncExternalStore } from 'react';
import type { Query } from '../rest-client/index.ts';
import { createQueryStore, type QuerySnapshot } from './query-store.ts';

export interface QueryState<Data> extends QuerySnapshot<Data> {
  /** Asks again. */
  readonly refetch: () => void;
}

/**
 * Executes a read. The query may be built anew at each render: what it would send decides whether it is another
 * one. An answer to an earlier query is never shown for a later one. For caching across components use a cache,
 * with `query.toRequest()` as the key.
 */
export function useQuery<Data>(query: Query<Data>): QueryState<Data> {
  const key = JSON.stringify(query);
  const [held, setHeld] = useState(() => ({ key, store: createQueryStore(query) }));
  const current = held.key === key ? held : { key, store: createQueryStore(query) };
  if (current !== held) setHeld(current);
  const { store } = current;
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  return { ...snapshot, refetch: store.refetch };
}

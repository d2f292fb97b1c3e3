import { createListeners } from '../platform/index.ts';
import type { Query, RestError } from '../rest-client/index.ts';

/** The state of a query: its status, its last result and its last error. */
export interface QuerySnapshot<Data> {
  /** `stale`: there is data, and a newer result is pending. */
  readonly status: 'loading' | 'stale' | 'success' | 'error';
  /** The last result; it stays while the next request is pending and after it has failed. */
  readonly data: Data | undefined;
  /** Why the last request failed; null if it succeeded or is pending. */
  readonly error: RestError | null;
}

export interface QueryStore<Data> {
  getSnapshot(): QuerySnapshot<Data>;
  /** The first subscriber sends the request; removing the last aborts a request in flight. */
  subscribe(listener: () => void): () => void;
  /** Sends the query again. */
  refetch(): void;
}

/** Holds the state of one query for `useSyncExternalStore`. */
export function createQueryStore<Data>(query: Query<Data>): QueryStore<Data> {
  const listeners = createListeners<void>();
  let snapshot: QuerySnapshot<Data> = { status: 'loading', data: undefined, error: null };
  let inFlight: AbortController | null = null;

  const set = (change: Partial<QuerySnapshot<Data>>) => {
    snapshot = { ...snapshot, ...change };
    listeners.call();
  };
  const refetch = () => {
    inFlight?.abort();
    const controller = new AbortController();
    inFlight = controller;
    set({ status: snapshot.data === undefined ? 'loading' : 'stale', error: null });
    query.execute({ signal: controller.signal }).then(
      (data) => controller.signal.aborted || set({ status: 'success', data }),
      (problem: unknown) =>
        controller.signal.aborted || set({ status: 'error', error: problem as RestError }),
    );
  };
  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      const remove = listeners.add(listener);
      if (listeners.size() === 1 && snapshot.status !== 'success') refetch();
      return () => {
        remove();
        if (listeners.size() === 0) inFlight?.abort();
      };
    },
    refetch,
  };
}

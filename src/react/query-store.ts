import type { Query, RestError } from '../rest-client/index.ts';

export interface QuerySnapshot<Data> {
  /** `stale`: there is data, and a newer answer is awaited. */
  readonly status: 'loading' | 'stale' | 'success' | 'error';
  /** The last answer, also while the next is awaited or after it failed. */
  readonly data: Data | undefined;
  readonly error: RestError | null;
}

export interface QueryStore<Data> {
  getSnapshot(): QuerySnapshot<Data>;
  /** The first subscriber makes it ask; when the last is gone, a request under way is aborted. */
  subscribe(listener: () => void): () => void;
  /** Asks again. */
  refetch(): void;
}

/** One query and what is known of its answer. */
export function createQueryStore<Data>(query: Query<Data>): QueryStore<Data> {
  const listeners = new Set<() => void>();
  let snapshot: QuerySnapshot<Data> = { status: 'loading', data: undefined, error: null };
  let asking: AbortController | null = null;

  const set = (change: Partial<QuerySnapshot<Data>>) => {
    snapshot = { ...snapshot, ...change };
    listeners.forEach((listener) => listener());
  };
  const refetch = () => {
    asking?.abort();
    const controller = new AbortController();
    asking = controller;
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
      listeners.add(listener);
      if (listeners.size === 1 && snapshot.status !== 'success') refetch();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) asking?.abort();
      };
    },
    refetch,
  };
}

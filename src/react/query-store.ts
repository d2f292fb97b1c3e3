import { type Clock, createListeners, type Unsubscribe } from '../platform/index.ts';
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

/** An optimistic change of the data that a store shows. */
export interface AppliedChange {
  /** The server has accepted the change: the next read that begins replaces it. */
  confirm(): void;
  /** Shows the data without the change. */
  undo(): void;
}

/** One read, shared by all components that show it. */
export interface QueryStore<Data> {
  getSnapshot(): QuerySnapshot<Data>;
  /** Whether a component shows it, or a request is in flight. */
  isUsed(): boolean;
  /** Sends the query, unless it is in flight or its result is younger than `staleTimeMs`. */
  subscribe(listener: () => void, staleTimeMs: number): Unsubscribe;
  /** Sends the query again if its result is too old for a component that shows it. */
  renew(): void;
  /** Sends the query again. Resolves when it has ended, with a result or an error. */
  refetch(): Promise<void>;
  /** Waits for the request in flight, or sends one. */
  load(): Promise<void>;
  /** Marks the result as outdated, and sends the query again if a component shows it. */
  invalidate(): Promise<void>;
  /** Shows the data as `change` returns it, over the result of each read. @throws what `change` throws */
  apply(change: (data: Data) => Data): AppliedChange;
  /** Ends the request in flight. */
  close(): void;
}

interface Layer<Data> {
  readonly change: (data: Data) => Data;
  isConfirmed: boolean;
}

/** @param onUnused called when the last component has left. */
export function createQueryStore<Data>(
  query: Query<Data>,
  clock: Clock,
  onUnused: () => void,
  initialData?: Data,
): QueryStore<Data> {
  const listeners = createListeners<void>();
  const layers = new Set<Layer<Data>>();
  const shown = new Set<{ readonly staleTimeMs: number }>();
  let data = initialData;
  let snapshot = snapshotOf(data);
  let readAtMs: number | null = null;
  let inFlight: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;

  /** The data with the optimistic changes; one that fails on the data of a later read is dropped. */
  const withLayers = (before: Data) =>
    [...layers].reduce<Data>((shownData, layer) => {
      try {
        return layer.change(shownData);
      } catch {
        layers.delete(layer);
        return shownData;
      }
    }, before);
  const publish = ({ status, error }: Pick<QuerySnapshot<Data>, 'status' | 'error'>) => {
    const changed = data === undefined ? data : withLayers(data);
    snapshot = { status, data: changed, error };
    listeners.call();
  };
  const close = () => {
    inFlight?.controller.abort();
    inFlight = null;
  };
  const refetch = () => {
    close();
    const controller = new AbortController();
    // A read that began before a write has ended may lack it: only later ones replace an optimistic change.
    const replaced = [...layers].filter(({ isConfirmed }) => isConfirmed);
    const ended = query.execute({ signal: controller.signal }).then(
      (result) => {
        if (controller.signal.aborted) return;
        inFlight = null;
        data = result;
        readAtMs = clock.monotonicMs();
        for (const layer of replaced) layers.delete(layer);
        publish({ status: 'success', error: null });
      },
      (problem: unknown) => {
        if (controller.signal.aborted) return;
        inFlight = null;
        publish({ status: 'error', error: problem as RestError });
      },
    );
    inFlight = { controller, ended };
    publish({ status: data === undefined ? 'loading' : 'stale', error: null });
    return ended;
  };
  const sendIfOlder = (staleTimeMs: number) => {
    const isFresh = readAtMs !== null && clock.monotonicMs() - readAtMs < staleTimeMs;
    if (!inFlight && !isFresh) void refetch();
  };
  const closeUnused = () => {
    if (listeners.size() > 0) return;
    close();
    onUnused();
  };
  return {
    getSnapshot: () => snapshot,
    isUsed: () => listeners.size() > 0 || inFlight !== null,
    subscribe(listener, staleTimeMs) {
      const remove = listeners.add(listener);
      const component = { staleTimeMs };
      shown.add(component);
      sendIfOlder(staleTimeMs);
      return () => {
        remove();
        shown.delete(component);
        // StrictMode leaves and subscribes again at once: the request in flight serves both.
        queueMicrotask(closeUnused);
      };
    },
    renew() {
      if (shown.size > 0) sendIfOlder(Math.min(...Array.from(shown, ({ staleTimeMs }) => staleTimeMs)));
    },
    refetch,
    load: () => inFlight?.ended ?? refetch(),
    async invalidate() {
      readAtMs = null;
      if (listeners.size() > 0 || inFlight) return refetch();
      layers.clear();
      publish(snapshot);
    },
    apply(change) {
      // A change that fails on the present data fails for the caller.
      if (data !== undefined) change(withLayers(data));
      const layer: Layer<Data> = { change, isConfirmed: false };
      layers.add(layer);
      const undo = () => {
        layers.delete(layer);
        publish(snapshot);
      };
      publish(snapshot);
      return { confirm: () => void (layer.isConfirmed = true), undo };
    },
    close,
  };
}

/** The state before the first request: without data, or with data from elsewhere. */
export const snapshotOf = <Data>(data: Data | undefined): QuerySnapshot<Data> => ({
  status: data === undefined ? 'loading' : 'stale',
  data,
  error: null,
});

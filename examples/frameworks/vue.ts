import { onScopeDispose, type ShallowRef, shallowRef } from 'vue';

interface Observable<Snapshot> {
  getSnapshot: () => Snapshot;
  subscribe: (listener: () => void) => () => void;
}

/** An observable of the clients, such as `auth` or a live query, as a ref of the calling component. */
export function useObservable<Snapshot>(observable: Observable<Snapshot>): Readonly<ShallowRef<Snapshot>> {
  const snapshot = shallowRef(observable.getSnapshot());
  onScopeDispose(observable.subscribe(() => (snapshot.value = observable.getSnapshot())));
  return snapshot;
}

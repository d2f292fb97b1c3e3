import { onScopeDispose, type ShallowRef, shallowRef } from 'vue';

interface Store<Snapshot> {
  getSnapshot: () => Snapshot;
  subscribe: (listener: () => void) => () => void;
}

/** A store of the clients, such as `auth` or a live query, as a ref of the calling component. */
export function useStore<Snapshot>(store: Store<Snapshot>): Readonly<ShallowRef<Snapshot>> {
  const snapshot = shallowRef(store.getSnapshot());
  onScopeDispose(store.subscribe(() => (snapshot.value = store.getSnapshot())));
  return snapshot;
}

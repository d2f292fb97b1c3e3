import { type Accessor, createSignal, onCleanup } from 'solid-js';

interface Store<Snapshot> {
  getSnapshot: () => Snapshot;
  subscribe: (listener: () => void) => () => void;
}

/** A store of the clients, such as `auth` or a live query, as a signal of the calling component. */
export function createStoreSignal<Snapshot>(store: Store<Snapshot>): Accessor<Snapshot> {
  const [snapshot, setSnapshot] = createSignal(store.getSnapshot());
  onCleanup(store.subscribe(() => setSnapshot(() => store.getSnapshot())));
  return snapshot;
}

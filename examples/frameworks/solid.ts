import { type Accessor, createSignal, onCleanup } from 'solid-js';

interface Observable<Snapshot> {
  getSnapshot: () => Snapshot;
  subscribe: (listener: () => void) => () => void;
}

/** An observable of the clients, such as `auth` or a live query, as a signal of the calling component. */
export function createObservableSignal<Snapshot>(observable: Observable<Snapshot>): Accessor<Snapshot> {
  const [snapshot, setSnapshot] = createSignal(observable.getSnapshot());
  onCleanup(observable.subscribe(() => setSnapshot(() => observable.getSnapshot())));
  return snapshot;
}

import { readable, type Readable } from 'svelte/store';

interface Store<Snapshot> {
  getSnapshot: () => Snapshot;
  subscribe: (listener: () => void) => () => void;
}

/** A store of the clients, such as `auth` or a live query, as a Svelte store: `$session` in a component. */
export function toReadable<Snapshot>(store: Store<Snapshot>): Readable<Snapshot> {
  return readable(store.getSnapshot(), (set) => {
    set(store.getSnapshot());
    return store.subscribe(() => set(store.getSnapshot()));
  });
}

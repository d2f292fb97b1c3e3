import { readable, type Readable } from 'svelte/store';

interface Observable<Snapshot> {
  getSnapshot: () => Snapshot;
  subscribe: (listener: () => void) => () => void;
}

/** An observable of the clients, such as `auth` or a live query, as a Svelte store: `$session` in a component. */
export function toReadable<Snapshot>(observable: Observable<Snapshot>): Readable<Snapshot> {
  return readable(observable.getSnapshot(), (set) => {
    set(observable.getSnapshot());
    return observable.subscribe(() => set(observable.getSnapshot()));
  });
}

import type { Unsubscribe } from '../platform/platform.ts';

export interface Listeners<Value> {
  add(listener: (value: Value) => void): Unsubscribe;
  /** Calls each listener that is still there when its turn comes; one that throws is reported, the others run. */
  call(value: Value): void;
}

export function createListeners<Value>(report: (problem: unknown) => void): Listeners<Value> {
  let entries: readonly { readonly listener: (value: Value) => void }[] = [];
  return {
    add(listener) {
      const entry = { listener };
      entries = [...entries, entry];
      return () => {
        entries = entries.filter((other) => other !== entry);
      };
    },
    call(value) {
      for (const entry of entries) {
        if (!entries.includes(entry)) continue;
        try {
          entry.listener(value);
        } catch (problem) {
          report(problem);
        }
      }
    },
  };
}

/** A value that can be watched, in the form that `useSyncExternalStore` takes. */
export interface Readable<Value> {
  /** The same reference until the value changes. */
  getSnapshot(): Value;
  subscribe(listener: () => void): Unsubscribe;
}

export interface Store<Value> extends Readable<Value> {
  set(value: Value): void;
}

export function createStore<Value>(initial: Value, report: (problem: unknown) => void): Store<Value> {
  const listeners = createListeners<void>(report);
  let current = initial;
  return {
    getSnapshot: () => current,
    subscribe: listeners.add,
    set(value) {
      current = value;
      listeners.call();
    },
  };
}

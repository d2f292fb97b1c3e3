import { createListeners } from '../../platform/listeners.ts';
import type { Unsubscribe } from '../../platform/platform.ts';

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

import { createListeners } from '../../platform/listeners.ts';
import type { Unsubscribe } from '../../platform/platform.ts';

/** An observable value, in the shape that React's `useSyncExternalStore` takes. */
export interface Readable<Value> {
  /** The current value; the same reference until it changes. */
  getSnapshot(): Value;
  /** Calls `listener` after each change of the value. */
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

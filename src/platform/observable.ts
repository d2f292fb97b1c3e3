import { ListenerSet } from './listeners.ts';
import type { Unsubscribe } from './platform.ts';

/** An observable value, in the shape that React's `useSyncExternalStore` takes. */
export interface Readable<Value> {
  /** The current value; the same reference until it changes. */
  readonly getSnapshot: () => Value;
  /** Calls `listener` after each change of the value. */
  readonly subscribe: (listener: () => void) => Unsubscribe;
}

/** A {@link Readable} that its owner sets. */
export interface Observable<Value> extends Readable<Value> {
  /** Calls the listeners, unless the value is the same one (`Object.is`). */
  readonly set: (value: Value) => void;
}

/** @param report receives what listeners throw; by default it is thrown as an uncaught error. */
export function createObservable<Value>(
  initial: Value,
  report?: (problem: unknown) => void,
): Observable<Value> {
  const listeners = new ListenerSet<void>(report);
  let current = initial;
  return {
    getSnapshot: () => current,
    subscribe: (listener) => listeners.add(listener),
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      listeners.call();
    },
  };
}

/** A value for `useSyncExternalStore`. */
export interface Store<Value> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Value;
  readonly set: (value: Value) => void;
}

/** Resolves when the condition holds after a change, or holds already. */
export function whenTrue(
  { subscribe }: Pick<Store<unknown>, 'subscribe'>,
  condition: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!condition()) return;
      stop();
      resolve();
    };
    const stop = subscribe(check);
    check();
  });
}

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of listeners) listener();
    },
  };
}

import type { Unsubscribe } from './platform.ts';

/** A set of listeners whose failures are reported, and affect neither the caller nor other listeners. */
export interface Listeners<T> {
  /** Adds a listener; the result removes it. */
  add(listener: (value: T) => unknown): Unsubscribe;
  /** Calls each listener that is still in the set when its turn comes; its error or rejection is reported. */
  call(value: T): void;
  /** As `call`, in a microtask; the order of calls is kept. */
  defer(value: T): void;
  /** The number of listeners. */
  readonly size: () => number;
}

/** @param report receives the failures of listeners; by default they are thrown as uncaught errors. */
export function createListeners<T>(report: (problem: unknown) => void = throwUncaught): Listeners<T> {
  /** Replaced by each change: a listener that is added during a call is first called by the next call. */
  let entries: readonly { readonly listener: (value: T) => unknown; isRemoved: boolean }[] = [];
  const call = (value: T) => {
    for (const entry of entries) {
      if (entry.isRemoved) continue;
      try {
        const result = entry.listener(value);
        // Most listeners return no promise; making one per call would cost more than the call.
        if (typeof result === 'object') void Promise.resolve(result).catch(report);
      } catch (problem) {
        report(problem);
      }
    }
  };
  return {
    add(listener) {
      const added = { listener, isRemoved: false };
      entries = [...entries, added];
      return () => {
        added.isRemoved = true;
        entries = entries.filter((entry) => entry !== added);
      };
    },
    call,
    defer: (value) => void Promise.resolve(value).then(call),
    size: () => entries.length,
  };
}

function throwUncaught(problem: unknown): void {
  queueMicrotask(() => {
    throw problem;
  });
}

import type { Unsubscribe } from './platform.ts';

/** Listeners that cannot break or block what they listen to. */
export interface Listeners<T> {
  add(listener: (value: T) => unknown): Unsubscribe;
  /** Calls each that is still there when its turn comes; what one throws, or rejects with, is reported. */
  call(value: T): void;
  /** The same after the current call has ended; order is kept. */
  defer(value: T): void;
}

export function createListeners<T>(report: (problem: unknown) => void): Listeners<T> {
  const entries = new Set<{ readonly listener: (value: T) => unknown }>();
  const call = (value: T) => {
    // A copy: a listener may add another, whose turn comes with the next call.
    const present = [...entries];
    for (const entry of present) {
      if (!entries.has(entry)) continue;
      try {
        void Promise.resolve(entry.listener(value)).catch(report);
      } catch (problem) {
        report(problem);
      }
    }
  };
  return {
    add(listener) {
      const entry = { listener };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    call,
    defer: (value) => void Promise.resolve(value).then(call),
  };
}

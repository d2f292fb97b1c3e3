import type { Unsubscribe } from './platform.ts';

interface Entry<T> {
  readonly listener: (value: T) => unknown;
  isRemoved: boolean;
}

/** A set of listeners whose failures are reported, and affect neither the caller nor other listeners. */
export class ListenerSet<T> {
  /** Replaced by each change: a listener that is added during a call is first called by the next call. */
  #entries: readonly Entry<T>[] = [];
  readonly #report: (problem: unknown) => void;

  /** @param report receives the failures of listeners; by default they are thrown as uncaught errors. */
  constructor(report: (problem: unknown) => void = throwUncaught) {
    this.#report = report;
  }

  /** The number of listeners. */
  get size(): number {
    return this.#entries.length;
  }

  /** Adds a listener; the result removes it. */
  add(listener: (value: T) => unknown): Unsubscribe {
    const added = { listener, isRemoved: false };
    this.#entries = [...this.#entries, added];
    return () => {
      added.isRemoved = true;
      this.#entries = this.#entries.filter((entry) => entry !== added);
    };
  }

  /** Calls each listener that is still in the set when its turn comes; its error or rejection is reported. */
  call(value: T): void {
    for (const entry of this.#entries) {
      if (entry.isRemoved) continue;
      try {
        const result = entry.listener(value);
        // Most listeners return no promise; making one per call would cost more than the call.
        if (typeof result === 'object') void Promise.resolve(result).catch(this.#report);
      } catch (problem) {
        this.#report(problem);
      }
    }
  }

  /** As `call`, in a microtask; the order of calls is kept. */
  defer(value: T): void {
    void Promise.resolve(value).then((deferred) => this.call(deferred));
  }
}

function throwUncaught(problem: unknown): void {
  queueMicrotask(() => {
    throw problem;
  });
}

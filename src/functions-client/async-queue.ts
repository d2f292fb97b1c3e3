/** A queue between a producer of items and one `for await` loop. */
export interface AsyncQueue<T> {
  push(item: T): void;
  /** Ends the loop after the queued items. */
  end(): void;
  /** Throws in the loop after the queued items. */
  fail(problem: unknown): void;
  items(): AsyncGenerator<T, void, undefined>;
}

/** Creates an empty queue. */
export function createAsyncQueue<T>(): AsyncQueue<T> {
  const queued: T[] = [];
  let wake = () => {};
  let ending: { readonly problem?: unknown } | null = null;
  const finish = (how: { readonly problem?: unknown }) => {
    ending = how;
    wake();
  };
  return {
    push(item) {
      queued.push(item);
      wake();
    },
    end: () => finish({}),
    fail: (problem) => finish({ problem }),
    async *items() {
      for (;;) {
        while (queued.length) yield queued.shift() as T;
        if (ending && 'problem' in ending) throw ending.problem;
        if (ending) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The work that a function goes on with after its answer. */
export interface BackgroundTasks {
  /** Takes a promise, as `EdgeRuntime.waitUntil`. */
  waitUntil<T>(task: Promise<T>): Promise<T>;
  /** Resolves once no task is pending. */
  settled(): Promise<void>;
}

/** @param onCount is told how many are pending, at each change. */
export function createBackgroundTasks(onCount: (count: number) => void): BackgroundTasks {
  const pending = new Set<Promise<unknown>>();
  return {
    waitUntil(task) {
      const tracked = Promise.resolve(task)
        .catch((problem: unknown) => console.error(problem))
        .finally(() => {
          pending.delete(tracked);
          onCount(pending.size);
        });
      pending.add(tracked);
      onCount(pending.size);
      return task;
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

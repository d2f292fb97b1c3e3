/** Tasks that a function continues after its response. */
export interface BackgroundTasks {
  /** Implements `EdgeRuntime.waitUntil`. */
  waitUntil<T>(task: Promise<T>): Promise<T>;
  settled(): Promise<void>;
}

/** @param onCount receives the number of pending tasks after each change. */
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

/** A first-in, first-out mutex: runs one task at a time. */
export interface Exclusive {
  <T>(task: () => Promise<T>): Promise<T>;
}

export function createExclusive(): Exclusive {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = tail.then(task, task);
    tail = run.catch(() => undefined);
    return run;
  };
}

/** Lets one task at a time through, in the order of their arrival. */
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

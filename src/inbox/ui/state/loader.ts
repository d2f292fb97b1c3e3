/** The retry callbacks of each failure. */
const retries = new WeakMap<object, Set<() => void>>();

/**
 * Loads on the first call and returns the same promise afterwards, as React's `use` requires. A rejection is cached too,
 * until {@link retryFailedLoad}: without the cache, the component that suspends on it would retry in an endless loop.
 */
export function createLoader<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  const start = (): Promise<T> => {
    const promise = load().then(
      (value) => {
        // React's own marks: `use` returns the value synchronously instead of suspending.
        void Object.assign(promise, { status: 'fulfilled', value });
        return value;
      },
      (problem: unknown) => {
        onRetry(problem, () => {
          loading = null;
        });
        throw problem;
      },
    );
    return promise;
  };
  return () => {
    loading ??= start();
    return loading;
  };
}

/** Registers how a cached failure is cleared by {@link retryFailedLoad}. */
export function onRetry(problem: unknown, retry: () => void): void {
  if (!(problem instanceof Object)) return;
  const known = retries.get(problem) ?? new Set();
  retries.set(problem, known.add(retry));
}

/** Clears a rejected load so that the next call retries. @returns whether the failure was a cached load. */
export function retryFailedLoad(problem: unknown): boolean {
  const known = problem instanceof Object ? retries.get(problem) : undefined;
  for (const retry of known ?? []) retry();
  return known !== undefined;
}

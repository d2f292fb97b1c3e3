/** What to do so that a failure is not the last word, by the failure. */
const retries = new WeakMap<object, Set<() => void>>();

/**
 * Loads when it is first called, and keeps the promise, as `use` wants it. What failed is kept as well, until somebody
 * calls {@link tryAnew}: were it forgotten at once, the rendering that waits for it would load without end.
 */
export function createLoader<T>(load: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    const promise = (asked ??= load().then(
      (value) => {
        // As React marks a promise that it has waited for: what is there already suspends nobody.
        void Object.assign(promise, { status: 'fulfilled', value });
        return value;
      },
      (problem: unknown) => {
        onTryAnew(problem, () => (asked = null));
        throw problem;
      },
    ));
    return promise;
  };
}

/** For what keeps a failure: how it is forgotten once {@link tryAnew} is called with it. */
export function onTryAnew(problem: unknown, retry: () => void): void {
  if (!(problem instanceof Object)) return;
  const known = retries.get(problem) ?? new Set();
  retries.set(problem, known.add(retry));
}

/** For whoever has shown or reported a failure: the next to ask loads once more. @returns whether that makes sense. */
export function tryAnew(problem: unknown): boolean {
  const known = problem instanceof Object ? retries.get(problem) : undefined;
  for (const retry of known ?? []) retry();
  return known !== undefined;
}

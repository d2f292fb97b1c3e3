import { createElement, lazy, useState, type ComponentType } from 'react';

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
        onRetry(problem, () => (asked = null));
        throw problem;
      },
    ));
    return promise;
  };
}

function onRetry(problem: unknown, retry: () => void): void {
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

/**
 * A component whose code is loaded when it is first rendered: React's `lazy`, but that a failure can be mended.
 *
 * @param getLoaded the component where it is there already, to be rendered at once: `lazy` suspends at its first
 *   rendering in any case, and what is shown instead then stays for 300 ms.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  getLoaded?: () => ComponentType<Props> | undefined,
): ComponentType<Props> {
  const create = () =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (problem) {
        onRetry(problem, () => (later = create()));
        throw problem;
      }
    });
  let later: ComponentType<Props> = create();
  return function LazyPart(props: Props) {
    const [Part] = useState(() => getLoaded?.() ?? later);
    return createElement(Part, props);
  };
}

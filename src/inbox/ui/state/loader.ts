import { createElement, lazy, useState, type ComponentType } from 'react';

/** The delay after which code is loaded that may be needed offline, so that it competes with nothing that is shown. */
export const preloadDelayMs = 10_000;

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
        void markFulfilled(promise, value);
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

/** Sets React's own marks, by which `use` returns the value synchronously instead of suspending. */
export const markFulfilled = <T>(promise: Promise<T>, value: T): Promise<T> =>
  Object.assign(promise, { status: 'fulfilled', value });

/** Registers how a cached failure is cleared by {@link retryFailedLoad}. */
function onRetry(problem: unknown, retry: () => void): void {
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

export interface ComponentLoader<Props extends object> {
  (): Promise<ComponentType<Props>>;
  loaded?: ComponentType<Props>;
}

/** A loader that keeps its component, so that a preloaded screen renders at once. */
export function createComponentLoader<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentLoader<Props> {
  const loader: ComponentLoader<Props> = async () => (loader.loaded = await load());
  return loader;
}

/**
 * React's `lazy`, whose failed load can be retried. A component that is loaded already renders at once: `lazy` would suspend on
 * its first render, and React then shows the fallback for at least 300 ms.
 */
export function onDemand<Props extends object>(load: ComponentLoader<Props>): ComponentType<Props> {
  const create = () =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (problem) {
        onRetry(problem, () => {
          current = create();
        });
        throw problem;
      }
    });
  let current: ComponentType<Props> = create();
  return function OnDemand(props: Props) {
    const [Component] = useState(() => load.loaded ?? current);
    return createElement(Component, props);
  };
}

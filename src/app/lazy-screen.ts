import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

export interface LazyScreen<Props> {
  readonly Screen: LazyExoticComponent<ComponentType<Props>>;
  /** Starts loading the code, as on hover of a link to it. Failing is left to the rendering. */
  readonly preload: () => void;
}

/** A screen whose code is a chunk of its own. */
export function lazyScreen<Props>(load: () => Promise<ComponentType<Props>>): LazyScreen<Props> {
  let loading: Promise<ComponentType<Props>> | null = null;
  const start = () => {
    loading ??= load().catch((problem: unknown) => {
      // The next attempt starts afresh: the network may be back.
      loading = null;
      throw problem;
    });
    return loading;
  };
  return {
    Screen: lazy(async () => ({ default: await start() })),
    preload: () => void start().catch(() => undefined),
  };
}

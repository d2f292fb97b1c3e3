import { createElement, lazy, useState, type ComponentType } from 'react';
import { onRetry } from './loader.ts';

/**
 * React's `lazy`, whose failed load can be retried.
 *
 * @param getLoaded returns the component if it is loaded: `lazy` always suspends on its first render, and React then shows
 *   the fallback for at least 300 ms.
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
        onRetry(problem, () => {
          current = create();
        });
        throw problem;
      }
    });
  let current: ComponentType<Props> = create();
  return function LazyPart(props: Props) {
    const [Part] = useState(() => getLoaded?.() ?? current);
    return createElement(Part, props);
  };
}

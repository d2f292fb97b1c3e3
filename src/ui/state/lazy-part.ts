import { createElement, lazy, useState, type ComponentType } from 'react';
import { onTryAnew } from './loader.ts';

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
        onTryAnew(problem, () => (later = create()));
        throw problem;
      }
    });
  let later: ComponentType<Props> = create();
  return function LazyPart(props: Props) {
    const [Part] = useState(() => getLoaded?.() ?? later);
    return createElement(Part, props);
  };
}

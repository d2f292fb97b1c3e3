import { createElement, lazy, useState, type ComponentType } from 'react';
import { onTryAnew } from './loader.ts';

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

import { lazy, useState, type ComponentType } from 'react';
import type { ScreenChunk } from './screen-chunk.ts';

/**
 * Renders a screen at once where its code is there already, else suspends until it is. (React's own lazy components
 * suspend at their first rendering in any case, and what is shown instead then stays for 300 ms.)
 */
export function lazyScreen<Props extends object>(chunk: ScreenChunk<Props>): ComponentType<Props> {
  const Later = lazy(chunk);
  return function LazyScreen(props: Props) {
    const [Screen] = useState<ComponentType<Props>>(() => chunk.screen ?? Later);
    return <Screen {...props} />;
  };
}

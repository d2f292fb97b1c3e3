import type { ComponentType } from 'react';
import { lazyPart } from '../../ui/state/lazy-part.ts';
import type { ScreenChunk } from './screen-chunk.ts';

/** Renders a screen synchronously if its chunk is loaded, else suspends until it is. */
export function lazyScreen<Props extends object>(chunk: ScreenChunk<Props>): ComponentType<Props> {
  return lazyPart(
    async () => (await chunk()).default,
    () => chunk.screen,
  );
}

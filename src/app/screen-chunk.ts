import type { ComponentType } from 'react';

/** A screen whose code is a chunk of its own. A call loads it; further ones load nothing. */
export interface ScreenChunk<Props extends object = object> {
  (): Promise<{ readonly default: ComponentType<Props> }>;
  /** The screen, as soon as it was loaded. */
  screen?: ComponentType<Props>;
}

export function screenChunk<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ScreenChunk<Props> {
  const chunk: ScreenChunk<Props> = async () => ({ default: (chunk.screen = await load()) });
  return chunk;
}

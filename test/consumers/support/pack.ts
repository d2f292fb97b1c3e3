import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packLibrary, type PackedLibrary } from '../../../scripts/pack-library.ts';

declare module 'vitest' {
  interface ProvidedContext {
    library: PackedLibrary;
  }
}

/** Builds and packs the library once, for all consumers. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'library-'));
  provide('library', await packLibrary(folder));
  return () => rm(folder, { recursive: true });
}

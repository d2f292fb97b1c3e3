import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packLibrary, type PackedLibrary } from '../../../scripts/library/pack-library.ts';

declare module 'vitest' {
  interface ProvidedContext {
    library: PackedLibrary;
  }
}

/** Builds and packs the library once, for all consumers. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'library-'));
  const library = await packLibrary(folder);
  // Tests also load the library from this folder, where it needs its dependencies.
  await symlink(join(process.cwd(), 'node_modules'), join(library.folder, 'node_modules'));
  provide('library', library);
  return () => rm(folder, { recursive: true });
}

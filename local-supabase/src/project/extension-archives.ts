import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Extension, PGlite } from '@electric-sql/pglite';
import { removeUnusedExports } from '../database/library-exports.ts';
import { addFiles } from '../database/memory-files.ts';
import { readTar } from '../database/tar.ts';
import type { TarEntry } from '../database/tar.ts';

const unpack = promisify(gunzip);
const loaded = new Map<string, Promise<readonly TarEntry[]>>();

/** An extension of PGlite. The instances of a process share its files. */
export const sharedExtension = (archive: URL): Extension => ({
  name: 'archive',
  setup: (pglite) =>
    Promise.resolve({
      init: async () => {
        const files = loaded.get(archive.href) ?? load(archive);
        loaded.set(archive.href, files);
        await addFiles(pglite as PGlite, await files);
      },
    }),
});

async function load(archive: URL): Promise<readonly TarEntry[]> {
  const entries = readTar(await unpack(await readFile(archive)));
  return entries.map(({ path, bytes }) => ({
    path,
    bytes: bytes && path.endsWith('.so') ? removeUnusedExports(bytes) : bytes,
  }));
}

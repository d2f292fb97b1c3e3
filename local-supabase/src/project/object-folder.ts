import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../storage/object-store.ts';

/** Stores the bytes of each object in a file. */
export function createFolderStore(folder: string): ObjectStore {
  const fileOf = (version: string) => join(folder, createHash('sha256').update(version).digest('hex'));
  return {
    get: (version) =>
      readFile(fileOf(version)).then(
        (bytes) => new Uint8Array(bytes),
        () => undefined,
      ),
    async put(version, bytes) {
      await mkdir(folder, { recursive: true });
      await writeFile(fileOf(version), bytes);
    },
    remove: (version) => rm(fileOf(version), { force: true }),
  };
}

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Bytes = Uint8Array<ArrayBuffer>;

/** The store of objects' bytes, by the version ids of their rows. */
export interface ObjectStore {
  get(version: string): Promise<Bytes | undefined>;
  put(version: string, bytes: Bytes): Promise<void>;
  remove(version: string): Promise<void>;
}

/** @param folder stores the bytes. Default: in memory. */
export function createObjectStore(folder?: string): ObjectStore {
  return folder === undefined ? createMemoryStore() : createFolderStore(folder);
}

function createMemoryStore(): ObjectStore {
  const objects = new Map<string, Bytes>();
  return {
    get: (version) => Promise.resolve(objects.get(version)),
    async put(version, bytes) {
      objects.set(version, bytes);
    },
    async remove(version) {
      objects.delete(version);
    },
  };
}

function createFolderStore(folder: string): ObjectStore {
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

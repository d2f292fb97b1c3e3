import type { Bytes } from '../platform/bytes.ts';

/** Stores the bytes of objects, by the version ids of their rows. */
export interface ObjectStore {
  get(version: string): Promise<Bytes | undefined>;
  put(version: string, bytes: Bytes): Promise<void>;
  remove(version: string): Promise<void>;
}

export function createMemoryStore(): ObjectStore {
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

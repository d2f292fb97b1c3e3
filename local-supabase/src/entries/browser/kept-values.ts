import { clear, createStore, del, get, set } from 'idb-keyval';
import type { Bytes } from '../../platform/bytes.ts';
import { createMemoryStore, receiveInMemory } from '../../services/storage/object-store.ts';
import type { ObjectStore } from '../../services/storage/object-store.ts';

/** Values that outlive the worker. */
export interface KeptValues {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown): Promise<void>;
  clear(): Promise<void>;
  readonly objects: ObjectStore & { clear(): Promise<void> };
}

/** Stores values in IndexedDB, under the name of a project. */
export function openKeptValues(name: string): KeptValues {
  const values = createStore(`local-supabase/${name}`, 'values');
  const objects = createStore(`local-supabase/${name}/objects`, 'objects');
  return {
    get: (key) => get(key, values),
    set: (key, value) => set(key, value, values),
    clear: () => clear(values),
    objects: {
      async get(version) {
        const bytes = await get<Bytes>(version, objects);
        return bytes && new Blob([bytes]);
      },
      put: async (version, content) => set(version, new Uint8Array(await content.arrayBuffer()), objects),
      receive: receiveInMemory,
      remove: (version) => del(version, objects),
      clear: () => clear(objects),
    },
  };
}

/** Keeps values in memory, for the lifetime of the worker. */
export function createMemoryValues(): KeptValues {
  const none = () => Promise.resolve(undefined);
  return { get: none, set: none, clear: none, objects: { ...createMemoryStore(), clear: none } };
}

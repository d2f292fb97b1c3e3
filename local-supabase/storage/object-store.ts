import type { App } from '@supabase/lite';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the storage service keeps the bytes of objects; who may reach them is in the database. */
export type ObjectStore = NonNullable<App['_storageAdapter']>;

interface StoredObject {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimetype: string;
  readonly cacheControl: string;
  readonly lastModifiedMs: number;
}

interface Shelf {
  get(id: string): Promise<StoredObject | undefined>;
  put(id: string, object: StoredObject): Promise<void>;
  remove(id: string): Promise<void>;
}

/** @param folder keeps the objects; default: in memory. */
export function createObjectStore(now: () => number, folder?: string): ObjectStore {
  const shelf = folder === undefined ? createMemoryShelf() : createFolderShelf(folder);
  const idOf = (bucket: string, key: string) => createHash('sha256').update(`${bucket}/${key}`).digest('hex');
  const find = async (bucket: string, key: string) => {
    const object = await shelf.get(idOf(bucket, key));
    if (!object) throw new Error(`The object ${bucket}/${key} has no bytes`);
    return object;
  };
  return {
    driver: null,
    async getObject(bucket, key) {
      const object = await find(bucket, key);
      return { metadata: describe(object), httpStatusCode: 200, body: Buffer.from(object.bytes) };
    },
    async uploadObject(bucket, key, _version, body, mimetype, cacheControl) {
      const bytes = new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
      const object = { bytes, mimetype, cacheControl, lastModifiedMs: now() };
      await shelf.put(idOf(bucket, key), object);
      return describe(object);
    },
    deleteObject: (bucket, key) => shelf.remove(idOf(bucket, key)),
    async deleteObjects(bucket, keys) {
      await Promise.all(keys.map((key) => shelf.remove(idOf(bucket, key))));
    },
    async copyObject(sourceBucket, sourceKey, _version, bucket, key) {
      const copy = { ...(await find(sourceBucket, sourceKey)), lastModifiedMs: now() };
      await shelf.put(idOf(bucket, key), copy);
      const { eTag, lastModified } = describe(copy);
      return { httpStatusCode: 200, eTag, lastModified };
    },
    headObject: async (bucket, key) => describe(await find(bucket, key)),
    privateAssetUrl: (bucket, key) => Promise.resolve(`local:${idOf(bucket, key)}`),
  };
}

function describe({ bytes, mimetype, cacheControl, lastModifiedMs }: StoredObject) {
  return {
    cacheControl,
    contentLength: bytes.length,
    size: bytes.length,
    mimetype,
    lastModified: new Date(lastModifiedMs),
    eTag: `"${createHash('md5').update(bytes).digest('hex')}"`,
    httpStatusCode: 200,
  };
}

function createMemoryShelf(): Shelf {
  const objects = new Map<string, StoredObject>();
  return {
    get: (id) => Promise.resolve(objects.get(id)),
    async put(id, object) {
      objects.set(id, object);
    },
    async remove(id) {
      objects.delete(id);
    },
  };
}

function createFolderShelf(folder: string): Shelf {
  const bytesOf = (id: string) => join(folder, id);
  const factsOf = (id: string) => join(folder, `${id}.json`);
  return {
    async get(id) {
      const facts = await readFile(factsOf(id), 'utf8').catch(() => undefined);
      if (facts === undefined) return undefined;
      const bytes = new Uint8Array(await readFile(bytesOf(id)));
      return { ...(JSON.parse(facts) as Omit<StoredObject, 'bytes'>), bytes };
    },
    async put(id, { bytes, ...facts }) {
      await mkdir(folder, { recursive: true });
      await writeFile(bytesOf(id), bytes);
      await writeFile(factsOf(id), JSON.stringify(facts));
    },
    async remove(id) {
      await rm(factsOf(id), { force: true });
      await rm(bytesOf(id), { force: true });
    },
  };
}

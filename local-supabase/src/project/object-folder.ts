import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { readAtMost, type ObjectStore } from '../services/storage/object-store.ts';

/** The prefix of bodies that are being received. */
const INCOMING = 'incoming-';

/** Creates the folder, and removes the bodies that a killed process left in it. */
async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder))
    if (file.startsWith(INCOMING)) await rm(join(folder, file), { force: true });
}

/** Stores the bytes of each object in a file, which is read and written in parts: its size takes no memory. */
export function createFolderStore(folder: string): ObjectStore {
  const fileOf = (version: string) => join(folder, createHash('sha256').update(version).digest('hex'));
  /** The files of received bodies. */
  const received = new WeakMap<Blob, string>();
  let prepared: Promise<void> | undefined;
  // Concurrent uploads wait for the same preparation, which would remove the bodies that they receive.
  const prepare = () =>
    (prepared ??= prepareFolder(folder).catch((problem: unknown) => {
      prepared = undefined;
      throw problem;
    }));
  const write = (file: string, chunks: AsyncIterable<Uint8Array>) =>
    pipeline(Readable.from(chunks), createWriteStream(file));
  return {
    get: (version) => openAsBlob(fileOf(version)).catch(() => undefined),
    async put(version, content) {
      await prepare();
      const file = received.get(content);
      if (file !== undefined) return rename(file, fileOf(version));
      await write(fileOf(version), content.stream() as ReadableStream<Uint8Array>);
    },
    remove: (version) => rm(fileOf(version), { force: true }),
    async receive(body, maxBytes) {
      await prepare();
      const file = join(folder, `${INCOMING}${randomUUID()}`);
      const end = () => rm(file, { force: true });
      try {
        await write(file, readAtMost(body, maxBytes));
        const content = await openAsBlob(file);
        received.set(content, file);
        return { content, end };
      } catch (problem) {
        await end();
        throw problem;
      }
    },
  };
}

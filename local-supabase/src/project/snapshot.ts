import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Beside PGlite, wherever this package itself is: in a workspace, or installed. */
const FOLDER = join(
  createRequire(import.meta.url)
    .resolve('@electric-sql/pglite')
    .replace(/@electric-sql[\\/].*$/, ''),
  '.cache/local-supabase',
);
const KEPT = 6;

/**
 * Returns the cached dump of a new database; on a miss, `build` creates it. Concurrent processes are safe, because a
 * dump gets its name only when it is complete.
 */
export async function loadSnapshot(name: string, build: () => Promise<Blob>): Promise<Blob> {
  const file = join(FOLDER, `${name}.tar`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept) {
    const now = new Date();
    await utimes(file, now, now).catch(() => undefined);
    return new DumpBlob(kept);
  }
  const dump = await build();
  await keep(file, dump).catch(() => undefined);
  return dump;
}

/**
 * Serves the bytes from memory, because Node reads its own blobs slowly, and once: a PGlite keeps its options, and with
 * them the blob, for as long as it lives.
 */
class DumpBlob extends Blob {
  #bytes: Buffer | undefined;
  constructor(bytes: Buffer) {
    super([]);
    this.#bytes = bytes;
  }
  override arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    return bytes
      ? Promise.resolve(new Uint8Array(bytes).buffer)
      : Promise.reject(new Error('The dump was read before'));
  }
}

/** Without a writable cache, every start builds the database again. */
async function keep(file: string, dump: Blob): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const temporary = `${file}.${process.pid}.${crypto.randomUUID()}`;
  await writeFile(temporary, new Uint8Array(await dump.arrayBuffer()));
  await rename(temporary, file);
  const others = (await readdir(FOLDER)).map((name) => join(FOLDER, name));
  const aged = await Promise.all(others.map(async (path) => ({ path, usedMs: (await stat(path)).mtimeMs })));
  const old = aged.toSorted((a, b) => b.usedMs - a.usedMs).slice(KEPT);
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}

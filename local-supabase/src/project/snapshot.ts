import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createSharedBytes } from './shared-bytes.ts';

/** The cache in the `node_modules` that contains PGlite, whether this package is in a workspace or installed. */
const FOLDER = join(
  createRequire(import.meta.url)
    .resolve('@electric-sql/pglite')
    .replace(/@electric-sql[\\/].*$/, ''),
  '.cache/local-supabase',
);
const KEPT = 6;

const load = createSharedBytes();

/**
 * Returns the cached archive of a new database; on a miss, `build` creates it. Safe for concurrent processes, because
 * an archive gets its name only when it is complete.
 */
export function loadSnapshot(name: string, build: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const file = join(FOLDER, `${name}.tar`);
  return load(name, async () => {
    const kept = await readFile(file).catch(() => undefined);
    if (kept) {
      const now = new Date();
      await utimes(file, now, now).catch(() => undefined);
      return kept;
    }
    const archive = await build();
    await keep(file, archive).catch(() => undefined);
    return archive;
  });
}

/** Without a writable cache, every start builds the database. */
async function keep(file: string, archive: Uint8Array): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const temporary = `${file}.${process.pid}.${crypto.randomUUID()}`;
  await writeFile(temporary, archive);
  await rename(temporary, file);
  const others = (await readdir(FOLDER)).map((name) => join(FOLDER, name));
  const aged = await Promise.all(others.map(async (path) => ({ path, usedMs: (await stat(path)).mtimeMs })));
  const old = aged.toSorted((a, b) => b.usedMs - a.usedMs).slice(KEPT);
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}

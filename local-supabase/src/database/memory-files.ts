import { EmscriptenBuiltinFilesystem, WASM_PREFIX } from '@electric-sql/pglite/basefs';
import type { PGlite } from '@electric-sql/pglite';
import { copyOnWriteOf } from './copy-on-write.ts';
import { readTar } from './tar.ts';
import type { TarEntry } from './tar.ts';

type FileSystem = PGlite['Module']['FS'];

const DATA_FOLDER = `${WASM_PREFIX}/data`;
const LOG_FOLDER = `${DATA_FOLDER}/pg_wal`;
const isLogSegment = /^[\dA-F]{24}$/;
const LOG_PAGE_BYTES = 8192;

/** PostgreSQL's files in memory, copy-on-write over an archive. */
export class MemoryFiles extends EmscriptenBuiltinFilesystem {
  #data: Uint8Array | undefined;

  /** @param data an archive of PostgreSQL's data folder. */
  constructor(data: Uint8Array) {
    super();
    this.#data = data;
  }

  override async initialSyncFs(): Promise<void> {
    const [data, { pg }] = [this.#data, this];
    // Drop the reference: objects that refer to a closed PGlite would keep the archive in memory.
    this.#data = undefined;
    if (data && pg) await addFiles(pg, readTar(data), DATA_FOLDER);
  }

  override closeFs(): Promise<void> {
    if (this.pg) this.pg.Module.FS.quit();
    return Promise.resolve();
  }
}

/** Closes an in-memory PGlite. @returns an archive of its data folder, which needs no recovery at the next start. */
export async function closeToArchive(pglite: PGlite): Promise<Uint8Array<ArrayBuffer>> {
  const { fs } = pglite;
  if (!fs) throw new Error('The database has not started');
  const closeFiles = fs.closeFs.bind(fs);
  let archive = new Uint8Array();
  fs.closeFs = async () => {
    shortenLog(pglite.Module.FS);
    archive = new Uint8Array(await (await fs.dumpTar('data', 'none')).arrayBuffer());
    await closeFiles();
  };
  await pglite.close();
  return archive;
}

/**
 * Adds files to those of a PGlite, copy-on-write over the given memory.
 *
 * @param folder the path that they are relative to. Default: the folder of extensions.
 */
export async function addFiles(
  pglite: PGlite,
  entries: readonly TarEntry[],
  folder = WASM_PREFIX,
): Promise<void> {
  const files = pglite.Module.FS;
  const freeze = copyOnWriteOf(pglite);
  for (const { path, bytes } of entries) {
    const full = `${folder}/${path}`.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
    const end = full.lastIndexOf('/');
    const [parent, name] = [full.slice(0, end), full.slice(end + 1)];
    if (!bytes) {
      files.mkdirTree(full);
      continue;
    }
    freeze(bytes);
    if (!files.analyzePath(parent).exists) files.mkdirTree(parent);
    if (files.analyzePath(full).exists) files.unlink(full);
    if (name.endsWith('.so')) await addLibrary(files, parent, name, bytes);
    else files.createDataFile(parent, name, bytes, true, true, true);
  }
}

/** Compiles a library in advance, because PostgreSQL cannot wait for the compilation when it loads the library. */
const addLibrary = (files: FileSystem, parent: string, name: string, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    const addOnly = () => {
      files.createDataFile(parent, name, bytes, true, true, true);
      resolve();
    };
    files.createPreloadedFile(parent, name, bytes, true, true, resolve, addOnly, false, true);
  });

/** Truncates each log segment after its last page with content: PostgreSQL writes the rest when it needs it. */
function shortenLog(files: FileSystem): void {
  for (const name of files.readdir(LOG_FOLDER)) {
    if (!isLogSegment.test(name)) continue;
    const path = `${LOG_FOLDER}/${name}`;
    const bytes: Uint8Array = files.readFile(path);
    const lastByte = bytes.findLastIndex((byte) => byte !== 0);
    files.truncate(path, Math.ceil((lastByte + 1) / LOG_PAGE_BYTES) * LOG_PAGE_BYTES);
  }
}

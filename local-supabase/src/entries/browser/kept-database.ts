import { connectPglite, resetSession } from '../../database/connect.ts';
import { setClock } from '../../database/database-clock.ts';
import type { PostgresSession } from '../../database/postgres-session.ts';
import { createPgliteDatabase } from '../../database/pglite-database.ts';
import type { PgliteDatabase } from '../../database/pglite-database.ts';
import {
  archiveOf,
  loadAssets,
  POSTGRES_FILES,
  POSTGRES_MODULE,
  SNAPSHOT_FILE,
} from '../../server/assets.ts';
import type { ProjectAssets } from '../../server/assets.ts';
import type { KeptValues } from './kept-values.ts';

export interface KeptDatabaseOptions {
  readonly assets: URL;
  readonly project: ProjectAssets;
  /** The name of the database in IndexedDB; null keeps it in memory. */
  readonly name: string | null;
  readonly values: KeptValues;
  readonly onProgress: (loadedBytes: number, totalBytes: number) => void;
}

export interface KeptDatabase {
  readonly database: PgliteDatabase;
  setAhead(byMs: number): Promise<void>;
}

/** The key of the name of the snapshot that the database began with. */
const BEGAN_AS = 'database';
/** Separates the databases from those of other users of PGlite on the site. */
const PREFIX = 'local-supabase-';
/** An empty module: initdb is not needed when a snapshot is loaded, so it is not downloaded. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** Opens the stored database, or a new one from the build's snapshot. */
export async function openKeptDatabase(options: KeptDatabaseOptions): Promise<KeptDatabase> {
  const { assets, project, name, values, onProgress } = options;
  const isNew = name === null || (await values.get(BEGAN_AS)) !== project.snapshot;
  const archives = project.bundled.map(archiveOf);
  const names = [POSTGRES_MODULE, POSTGRES_FILES, ...archives, ...(isNew ? [SNAPSHOT_FILE] : [])];
  const files = await loadAssets(assets, project, names, onProgress);
  const pgliteWasmModule = await WebAssembly.compile(await files.open(POSTGRES_MODULE));
  const initdbWasmModule = await WebAssembly.compile(EMPTY_MODULE);
  const fsBundle = new Blob([await files.open(POSTGRES_FILES)]);
  const bundled = Object.fromEntries(
    project.bundled.map((extension) => [
      extension,
      new URL(URL.createObjectURL(new Blob([files.raw(archiveOf(extension))]))),
    ]),
  );
  const connect = async (loadDataDir?: Blob) => {
    const pglite = await connectPglite({
      pgliteWasmModule,
      initdbWasmModule,
      fsBundle,
      bundled,
      files: project.extensionFiles,
      // Writes do not wait for IndexedDB, which stores each changed file as a whole.
      relaxedDurability: true,
      ...(name !== null && { dataDir: `idb://${PREFIX}${name}` }),
      ...(loadDataDir && { loadDataDir }),
    });
    await resetSession(pglite);
    return pglite;
  };
  if (isNew && name !== null) await forgetDatabase(name, values);
  let pglite = await connect(isNew ? new Blob([await files.open(SNAPSHOT_FILE)]) : undefined);
  if (isNew && name !== null) {
    await pglite.syncToFs();
    await values.set(BEGAN_AS, project.snapshot);
  }
  let aheadMs = 0;
  const reopen = async (crashed: PostgresSession) => {
    const dump = name === null ? await crashed.dumpDataDir('none') : undefined;
    pglite = await connect(dump);
    await setClock(pglite, aheadMs);
    await crashed.close();
    return pglite;
  };
  const database = createPgliteDatabase(pglite, { reopen });
  return {
    database,
    setAhead(byMs) {
      aheadMs = byMs;
      return database.session((session) => setClock(session, byMs));
    },
  };
}

/** Removes the database and the objects but not the keys, so that pages keep working. */
export async function forgetDatabase(name: string, values: KeptValues): Promise<void> {
  await values.set(BEGAN_AS, undefined);
  await values.set('mails', undefined);
  await values.objects.clear();
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`/pglite/${PREFIX}${name}`);
    request.addEventListener('success', () => resolve());
    // PGlite keeps the database open: it is deleted when this worker ends, before the next one opens it.
    request.addEventListener('blocked', () => resolve());
    request.addEventListener('error', () =>
      reject(request.error ?? new Error('The database cannot be deleted')),
    );
  });
}

import type { PGlite } from '@electric-sql/pglite';
import { connectPglite, nameAdmin } from '../database/connect.ts';
import { copyOnWriteOf } from '../database/copy-on-write.ts';
import { createPgliteDatabase } from '../database/pglite-database.ts';
import { closeToArchive, MemoryFiles } from '../database/memory-files.ts';
import { loadPostgresFiles, loadPostgresModule } from './postgres-module.ts';
import { sharedExtension } from './extension-archives.ts';
import { installRealtimeSchema } from '../services/realtime/schema.ts';
import { extensionFiles, type ProjectExtensions } from './extensions.ts';
import type { ProjectSql } from './project-sql.ts';
import { realtimeSchemaSql } from './realtime-sql.ts';
import { buildSchema } from './schema.ts';
import { loadSnapshot } from './snapshot.ts';

/** Makes the archive smaller and faster to load: the template databases are not used. */
const SHRINK = [
  `update pg_database set datistemplate = false, datallowconn = true where datname in ('template0', 'template1')`,
  'drop database template0',
  'drop database template1',
  // Keep the log small: a new segment is not filled with zeros, and an old one is not recycled.
  'set wal_init_zero = off',
  'set wal_recycle = off',
  'select pg_switch_wal()',
  'checkpoint',
  'checkpoint',
];

/** The name of the snapshot, which identifies its state. */
export const snapshotName = ({ hash }: ProjectSql, seed: boolean): string =>
  `7-${hash}${seed ? '-seed' : ''}`;

/**
 * The archive of a new database with the project's schema, cached if possible.
 *
 * @param seed whether it contains the project's seed.
 * @throws {SchemaError} for SQL that PostgreSQL rejects.
 */
export function loadProjectSnapshot(sql: ProjectSql, seed: boolean): Promise<Uint8Array> {
  return loadSnapshot(snapshotName(sql, seed), async () => {
    const driver = await connect(sql.extensions);
    await nameAdmin(driver);
    await buildSchema(driver, sql, seed);
    const database = createPgliteDatabase(driver);
    await installRealtimeSchema(database, 'supabase_realtime', realtimeSchemaSql);
    // Create the partitions of the next days, which a start would create.
    await database.query('select realtime.maintain_messages()');
    for (const statement of SHRINK) await driver.exec(statement);
    return closeToArchive(driver);
  });
}

/**
 * Starts PostgreSQL with the extensions of a project.
 *
 * @param data an archive of its files, if they are in memory.
 */
export async function connect(
  { bundled, files, own }: ProjectExtensions,
  { data, dataDir }: { readonly data?: Uint8Array | undefined; readonly dataDir?: string | undefined } = {},
): Promise<PGlite> {
  const extensions = Object.entries(bundled).map(([name, url]) => [name, sharedExtension(url)] as const);
  const fsBundle = await loadPostgresFiles();
  const pglite = await connectPglite({
    bundled: Object.fromEntries(extensions),
    files,
    findExtension: (name) => extensionFiles(name, own),
    pgliteWasmModule: await loadPostgresModule(),
    fsBundle,
    ...(dataDir !== undefined && { dataDir }),
    ...(data && { fs: new MemoryFiles(data) }),
  });
  copyOnWriteOf(pglite)(new Uint8Array(await fsBundle.arrayBuffer()));
  return pglite;
}

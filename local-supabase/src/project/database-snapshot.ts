import type { PGlite } from '@electric-sql/pglite';
import { connectPglite } from '../database/connect.ts';
import { copyOnWriteOf } from '../database/copy-on-write.ts';
import { createPgliteDatabase } from '../database/pglite-database.ts';
import { closeToArchive, MemoryFiles } from '../database/memory-files.ts';
import { loadPostgresFiles, loadPostgresModule } from './postgres-module.ts';
import { sharedExtension } from './extension-archives.ts';
import { installRealtimeSchema } from '../realtime/schema.ts';
import type { ProjectExtensions } from './extensions.ts';
import type { ProjectSql } from './project-sql.ts';
import { realtimeSchemaSql } from './realtime-sql.ts';
import { buildSchema } from './schema.ts';
import { loadSnapshot } from './snapshot.ts';

/** Template databases are unused here and make the dump slower to load. */
const SHRINK = [
  `update pg_database set datistemplate = false, datallowconn = true where datname in ('template0', 'template1')`,
  'drop database template0',
  'drop database template1',
  // A new segment of the log is empty but for its beginning; an old one would be kept under another name.
  'set wal_init_zero = off',
  'set wal_recycle = off',
  'select pg_switch_wal()',
  'checkpoint',
  'checkpoint',
];

/** What the state of a new database is known by. */
export const snapshotName = ({ hash }: ProjectSql, seed: boolean): string =>
  `5-${hash}${seed ? '-seed' : ''}`;

/**
 * The archive of a new database with the schema of the project, from the cache where it is there.
 *
 * @param seed whether it has the project's seed.
 * @throws {SchemaError} for SQL that PostgreSQL refuses.
 */
export function loadProjectSnapshot(sql: ProjectSql, seed: boolean): Promise<Uint8Array> {
  return loadSnapshot(snapshotName(sql, seed), async () => {
    const driver = await connect(sql.extensions);
    await buildSchema(driver, sql, seed);
    const database = createPgliteDatabase(driver);
    await installRealtimeSchema(database, 'supabase_realtime', realtimeSchemaSql);
    // The partitions of these days, which a start would create.
    await database.query('select realtime.maintain_messages()');
    for (const statement of SHRINK) await driver.exec(statement);
    return closeToArchive(driver);
  });
}

/**
 * Starts PostgreSQL with the extensions of a project.
 *
 * @param data an archive of its files, where they are in memory.
 */
export async function connect(
  { bundled, files }: ProjectExtensions,
  { data, dataDir }: { readonly data?: Uint8Array | undefined; readonly dataDir?: string | undefined } = {},
): Promise<PGlite> {
  const extensions = Object.entries(bundled).map(([name, url]) => [name, sharedExtension(url)] as const);
  const fsBundle = await loadPostgresFiles();
  const pglite = await connectPglite({
    bundled: Object.fromEntries(extensions),
    files,
    pgliteWasmModule: await loadPostgresModule(),
    fsBundle,
    ...(dataDir !== undefined && { dataDir }),
    ...(data && { fs: new MemoryFiles(data) }),
  });
  copyOnWriteOf(pglite)(new Uint8Array(await fsBundle.arrayBuffer()));
  return pglite;
}

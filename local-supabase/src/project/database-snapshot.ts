import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import { connectPglite } from '../database/connect.ts';
import { createPgliteDatabase } from '../database/pglite-database.ts';
import { loadPostgresModule } from './postgres-module.ts';
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
  `4-${hash}${seed ? '-seed' : ''}`;

/**
 * The dump of a new database with the schema of the project, from the cache where it is there.
 *
 * @param seed whether it has the project's seed.
 * @throws {SchemaError} for SQL that PostgreSQL refuses.
 */
export function loadProjectSnapshot(sql: ProjectSql, seed: boolean): Promise<Blob> {
  return loadSnapshot(snapshotName(sql, seed), async () => {
    const driver = await connect(sql.extensions);
    await buildSchema(driver, sql, seed);
    await installRealtimeSchema(createPgliteDatabase(driver), 'supabase_realtime', realtimeSchemaSql);
    for (const statement of SHRINK) await driver.exec(statement);
    const dump = await driver.dumpDataDir('none');
    await driver.close();
    return dump;
  });
}

/** Starts PostgreSQL with the extensions of a project. */
export async function connect(
  { bundled, files }: ProjectExtensions,
  options: Omit<PGliteOptions, 'dataDir'> = {},
  dataDir?: string,
): Promise<PGlite> {
  return connectPglite({
    ...options,
    bundled,
    files,
    pgliteWasmModule: await loadPostgresModule(),
    ...(dataDir === undefined ? {} : { dataDir }),
  });
}

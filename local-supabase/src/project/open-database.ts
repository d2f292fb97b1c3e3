import { PGlite } from '@electric-sql/pglite';
import type { PGliteInterface, PGliteOptions } from '@electric-sql/pglite';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { installRealtimeSchema } from '../realtime/schema.ts';
import { clockOf, createDatabaseClock, keepClock } from '../database/database-clock.ts';
import { loadPostgresModule } from '../database/postgres-module.ts';
import { createStatementInterrupts } from '../database/statement-interrupts.ts';
import { createPgliteDatabase } from '../database/pglite-database.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import { installExtensionFiles, type ProjectExtensions } from './extensions.ts';
import type { DatabasePool } from './database-pool.ts';
import type { DatabaseSettings } from './options.ts';
import { readProjectSql } from './project-sql.ts';
import { realtimeSchemaSql } from './realtime-sql.ts';
import { resetSession, SchemaError } from './run-script.ts';
import { buildSchema, updateSchema } from './schema.ts';
import { loadSnapshot } from './snapshot.ts';

export interface DatabaseOptions {
  /** The folder of PostgreSQL's files. Default: in memory. */
  readonly dataDir?: string | undefined;
  /** Whether a new database gets `supabase/seed.sql`. Default true. */
  readonly seed?: boolean | undefined;
  /** A project's folder, in the layout of the vendor's CLI. Default: `supabase/` of the working directory. */
  readonly project?: URL | undefined;
  /** Where the project's SQL is. */
  readonly settings?: DatabaseSettings | undefined;
  /** Where an in-memory database comes from, and returns to. Default: each is new. */
  readonly pool?: DatabasePool | undefined;
}

export interface OpenDatabase {
  readonly database: PgliteDatabase;
  /** Sets how many milliseconds SQL's clock is ahead of the machine's. */
  setAhead(byMs: number): Promise<void>;
  /**
   * Applies the migrations that have come since the start, each in a transaction of its own.
   *
   * @returns their paths.
   * @throws {SchemaError} for a refused one, or one that needs an extension that is loaded at the start.
   */
  migrate(): Promise<readonly string[]>;
  /** The names of the extensions in SQL that the project may create: stand-ins, and its own. */
  readonly standIns: ReadonlySet<string>;
  /** Files and patterns of the project that have no effect, each in a sentence. */
  readonly notes: readonly string[];
}

/** Template databases are unused here and make the dump slower to load. */
const SHRINK = [
  `update pg_database set datistemplate = false, datallowconn = true where datname in ('template0', 'template1')`,
  'drop database template0',
  'drop database template1',
  'checkpoint',
];

/** The default cache of 128 MB is larger than the data, and allocating it takes a third of the start-up time. */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/** PostgreSQL's FirstGenbkiObjectId and FirstNormalObjectId (src/include/access/transam.h). */
const FIRST_CATALOG_TYPE = 10_000;
const FIRST_PROJECT_TYPE = 16_384;

/** Opens the embedded PostgreSQL with the schema of the project. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<OpenDatabase> {
  const { dataDir, seed = true } = options;
  const sql = await readProjectSql(options.project, options.settings);
  const isNew = dataDir === undefined || !(await exists(join(dataDir, 'PG_VERSION')));
  const build = async () => {
    const driver = await connect(sql.extensions);
    await buildSchema(driver, sql, seed);
    await installRealtimeSchema(createPgliteDatabase(driver), 'supabase_realtime', realtimeSchemaSql);
    for (const statement of SHRINK) await driver.exec(statement);
    const dump = await driver.dumpDataDir('none');
    await driver.close();
    return dump;
  };
  const name = `3-${sql.hash}${seed ? '-seed' : ''}`;
  const open = async () => {
    const snapshot = isNew && { loadDataDir: await loadSnapshot(name, build) };
    const opened = await connect(sql.extensions, { ...snapshot }, dataDir);
    if (!isNew) await updateSchema(opened, sql);
    await resetSession(opened);
    return opened;
  };
  const pool = dataDir === undefined ? options.pool : undefined;
  const pglite = pool ? await pool.take(name, open) : await open();
  let aheadMs = 0;
  const reopen = async (crashed: PGlite) => {
    const files = dataDir === undefined ? { loadDataDir: await crashed.dumpDataDir('none') } : {};
    const reopened = await connect(sql.extensions, files, dataDir);
    await resetSession(reopened);
    clockOf(reopened)?.setAhead(aheadMs);
    await crashed.close();
    return reopened;
  };
  const standIns = new Set(sql.extensions.files.map(({ name }) => name.replace(/(?:--.*)?\.\w+$/, '')));
  const giveBack = (used: PGlite) => {
    clockOf(used)?.setAhead(0);
    return pool?.put(used) ?? used.close();
  };
  const database = createPgliteDatabase(pglite, { reopen, ...(pool && { release: giveBack }) });
  const setAhead = (byMs: number) => {
    aheadMs = byMs;
    return database.session((session) => Promise.resolve(clockOf(session)?.setAhead(byMs)));
  };
  const migrate = async () => {
    const next = await readProjectSql(options.project, options.settings);
    const missing = Object.keys(next.extensions.bundled).filter((name) => !(name in sql.extensions.bundled));
    if (missing.length > 0)
      throw new SchemaError(
        `The extension "${missing[0]}" is loaded at the start: stop the local Supabase and start it again`,
      );
    return database.session(async (session) => {
      installExtensionFiles(session, next.extensions.files);
      return updateSchema(session, next);
    });
  };
  return { database, standIns, notes: sql.notes, migrate, setAhead };
}

async function connect(
  { bundled, files }: ProjectExtensions,
  options: Omit<PGliteOptions, 'dataDir'> = {},
  dataDir?: string,
): Promise<PGlite> {
  const clock = createDatabaseClock();
  const pglite = await PGlite.create({
    ...options,
    pgliteWasmModule: await loadPostgresModule(),
    ...(dataDir === undefined ? {} : { dataDir }),
    startParams,
    extensions: { ...bundled, clock: clock.extension, interrupts: createStatementInterrupts().extension },
  });
  keepClock(pglite, clock);
  installExtensionFiles(pglite, files);
  removeCatalogRowParsers(pglite);
  return pglite;
}

/**
 * PGlite copies its table of parsers at every query. Two thirds of the parsers are for arrays of the catalog's row
 * types, to which initdb assigns OIDs from 10000 on. No query reads these types; without them a query is 25% faster.
 */
function removeCatalogRowParsers({ parsers: known }: PGliteInterface): void {
  for (const type of Object.keys(known).map(Number)) {
    if (type >= FIRST_CATALOG_TYPE && type < FIRST_PROJECT_TYPE) delete known[type];
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

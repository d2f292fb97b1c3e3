import type { PGlite } from '@electric-sql/pglite';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { resetSession } from '../database/connect.ts';
import { clockOf } from '../database/database-clock.ts';
import { extensionNames, installExtensionFiles } from '../database/extension-files.ts';
import { createPgliteDatabase } from '../database/pglite-database.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import { connect, loadProjectSnapshot, snapshotName } from './database-snapshot.ts';
import type { DatabasePool } from './database-pool.ts';
import type { DatabaseSettings } from './options.ts';
import { readProjectSql } from './project-sql.ts';
import { SchemaError } from './run-script.ts';
import { updateSchema } from './schema.ts';

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

/** Opens the embedded PostgreSQL with the schema of the project. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<OpenDatabase> {
  const { dataDir, seed = true } = options;
  const sql = await readProjectSql(options.project, options.settings);
  const isNew = dataDir === undefined || !(await exists(join(dataDir, 'PG_VERSION')));
  const name = snapshotName(sql, seed);
  const open = async () => {
    const snapshot = isNew && { loadDataDir: await loadProjectSnapshot(sql, seed) };
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
  const standIns = extensionNames(sql.extensions.files);
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

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

import type { PGlite } from '@electric-sql/pglite';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasNamedAdmin, resetSession, startParams } from '../database/connect.ts';
import { setClock } from '../database/database-clock.ts';
import { addSessionFiles, installExtensionFiles } from '../database/extension-files.ts';
import { createPgliteDatabase } from '../database/pglite-database.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import { readTar } from '../database/tar.ts';
import { isRemote, type PostgresSession } from '../database/postgres-session.ts';
import { exists, findCreation } from './creation-mark.ts';
import { connect, loadProjectSnapshot, snapshotName } from './database-snapshot.ts';
import type { DatabasePool } from './database-pool.ts';
import { availableStandIns, extensionFiles, type ProjectExtensions } from './extensions.ts';
import type { DatabaseSettings } from './options.ts';
import { readProjectSql, type ProjectSql } from './project-sql.ts';
import { updateSchema } from './schema.ts';
import { startWorkerSession } from './worker-session.ts';

export interface DatabaseOptions {
  /** The folder of PostgreSQL's files. Default: in memory. */
  readonly dataDir?: string | undefined;
  /** Whether a new database gets `supabase/seed.sql`. Default true. */
  readonly seed?: boolean | undefined;
  /** A project's folder in the layout of the vendor's CLI. Default: `supabase/` of the working directory. */
  readonly project?: URL | undefined;
  /** The locations of the project's SQL. */
  readonly settings?: DatabaseSettings | undefined;
  /** The pool of in-memory databases. Default: every database is new. */
  readonly pool?: DatabasePool | undefined;
  /** Whether PostgreSQL runs in a worker thread, with its files in a folder. Default false. */
  readonly worker?: boolean | undefined;
}

export interface OpenDatabase {
  readonly database: PgliteDatabase;
  /** The URL of a real PostgreSQL for other programs. Undefined for the embedded one. */
  readonly serverUrl?: string;
  /** Sets how many milliseconds SQL's clock is ahead of the machine's. */
  setAhead(byMs: number): Promise<void>;
  /**
   * Applies the migrations that were added since the start, each in its own transaction.
   *
   * @returns their paths.
   * @throws {SchemaError} for a rejected migration.
   */
  migrate(): Promise<readonly string[]>;
  /** The names of the available extensions in SQL: replacements and the project's own. */
  readonly standIns: ReadonlySet<string>;
  /** Sentences about the data, and about files and patterns of the project that have no effect. */
  readonly notes: readonly string[];
}

/** Opens the embedded PostgreSQL with the schema of the project. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<OpenDatabase> {
  const { worker: hasThread = false } = options;
  // A thread's in-memory files would be lost with it.
  const temporary =
    hasThread && options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'local-supabase-')) : undefined;
  const dataDir = options.dataDir ?? temporary;
  const start: Start = hasThread && dataDir !== undefined ? inThread(dataDir) : connect;
  const sql = await readProjectSql(options.project, options.settings);
  const pool = dataDir === undefined ? options.pool : undefined;
  const name = snapshotName(sql, options.seed ?? true);
  const removeTemporary = async () => {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  };
  const notes = [...sql.notes];
  const source = { ...options, dataDir, sql, notes };
  const opening = pool
    ? pool.take(name, () => openFiles(source, connect).then(warmUp))
    : openFiles(source, start);
  const first = await opening.catch(async (problem: unknown) => {
    await removeTemporary();
    throw problem;
  });
  let aheadMs = 0;
  const reopen = async (crashed: PostgresSession) => {
    const reopened = await reopenFiles(crashed, { dataDir, start, extensions: sql.extensions });
    await setClock(reopened, aheadMs);
    if (!isRemote(crashed)) await crashed.close();
    return reopened;
  };
  const giveBack = async (used: PostgresSession) => {
    if (!pool || isRemote(used)) return used.close();
    await setClock(used, 0);
    return pool.put(used);
  };
  const database = createPgliteDatabase(first, { reopen, release: giveBack });
  const close = async () => {
    await database.close();
    await removeTemporary();
  };
  const setAhead = (byMs: number) => {
    aheadMs = byMs;
    return database.session((session) => setClock(session, byMs));
  };
  const migrate = async () => {
    const next = await readProjectSql(options.project, options.settings);
    return database.session(async (session) => {
      await installExtensionFiles(session, next.extensions.files);
      return updateSchema(session, next);
    });
  };
  return { database: { ...database, close }, standIns: availableStandIns, notes, migrate, setAhead };
}

/** Opens the database of a folder, or a new one from the snapshot of the project. */
async function openFiles<Session extends PostgresSession>(
  source: {
    readonly dataDir: string | undefined;
    readonly sql: ProjectSql;
    readonly seed?: boolean | undefined;
    readonly notes: string[];
  },
  begin: Start<Session>,
): Promise<Session> {
  const { dataDir, sql, seed = true, notes } = source;
  const creation = dataDir === undefined ? undefined : await findCreation(dataDir);
  const isNew = dataDir === undefined || !(await exists(join(dataDir, 'PG_VERSION')));
  if (isNew) await creation?.begin();
  const data = isNew ? await loadProjectSnapshot(sql, seed) : undefined;
  if (data && dataDir !== undefined) await unpackArchive(data, dataDir);
  const opened = await begin(sql.extensions, dataDir === undefined ? { data } : { dataDir });
  if (!isNew) {
    await addCreatedExtensions(opened, sql.extensions);
    await updateSchema(opened, sql);
    if (!(await hasNamedAdmin(opened))) notes.push(OLD_FOLDER);
  }
  await resetSession(opened);
  if (isNew) await creation?.end();
  return opened;
}

/** Opens the files of a crashed session. */
async function reopenFiles(
  crashed: PostgresSession,
  source: {
    readonly dataDir: string | undefined;
    readonly start: Start;
    readonly extensions: ProjectExtensions;
  },
): Promise<PostgresSession> {
  const { dataDir, start, extensions } = source;
  const files = dataDir === undefined ? { data: await dumpFiles(crashed) } : { dataDir };
  // Two sessions on the same files would corrupt them.
  if (isRemote(crashed)) await crashed.terminate();
  const reopened = await start(extensions, files);
  await addCreatedExtensions(reopened, extensions);
  await resetSession(reopened);
  return reopened;
}

/** Adds the files of extensions that were created after an earlier start, such as by psql. */
async function addCreatedExtensions(
  session: PostgresSession,
  { bundled, own }: ProjectExtensions,
): Promise<void> {
  const { rows } = await session.query<{ name: string }>('select extname as name from pg_extension');
  const added = rows.filter(({ name }) => name !== 'plpgsql' && !(name in bundled));
  await addSessionFiles(
    session,
    added.flatMap(({ name }) => extensionFiles(name, own)),
  );
}

type Start<Session extends PostgresSession = PostgresSession> = (
  extensions: ProjectExtensions,
  files: { readonly data?: Uint8Array | undefined; readonly dataDir?: string },
) => Promise<Session>;

const OLD_FOLDER =
  'The data was made by an earlier version: its user postgres is a superuser, to whom SQL is allowed that a hosted project refuses. A reset begins with the roles of a hosted project';

/** Work that each start of the services does, here in advance. */
const START_WORK = `
  select realtime.watch_publication('supabase_realtime'), realtime.maintain_messages();
  do $$ begin if to_regproc('private.deliver_outgoing') is not null then call private.deliver_outgoing(); end if; end $$`;

/** Fills PostgreSQL's caches with the services' queries, so that pooled databases start with them. */
async function warmUp(pglite: PGlite): Promise<PGlite> {
  await pglite.exec(START_WORK);
  await resetSession(pglite);
  return pglite;
}

/** Runs PostgreSQL in a worker thread. */
const inThread =
  (dataDir: string): Start =>
  async ({ bundled, files, own }) => {
    const session = await startWorkerSession({
      dataDir,
      startParams,
      extensions: bundled,
      ownExtensions: own,
    });
    await installExtensionFiles(session, files);
    return session;
  };

async function unpackArchive(archive: Uint8Array, folder: string): Promise<void> {
  for (const { path, bytes } of readTar(archive)) {
    const target = join(folder, path);
    if (bytes) await writeFile(target, bytes, { mode: 0o600 });
    else await mkdir(target, { recursive: true, mode: 0o700 });
  }
}

const dumpFiles = async (session: PostgresSession): Promise<Uint8Array> =>
  new Uint8Array(await (await session.dumpDataDir('none')).arrayBuffer());

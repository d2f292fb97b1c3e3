import { PGlite } from '@electric-sql/pglite';
import type { Extension, PGliteInterface, PGliteOptions } from '@electric-sql/pglite';
import { createDatabaseClock, keepClock } from './database-clock.ts';
import { installExtensionFiles } from './extension-files.ts';
import type { ExtensionFile, FindExtension } from './extension-files.ts';
import { INITIAL_MEMORY_BYTES } from './interruptible-wasm.ts';
import type { SqlSession } from './postgres-session.ts';
import { createPrivilegedStatements } from './privileged-statements.ts';
import { startPglite } from './start-pglite.ts';
import { createStatementInterrupts } from './statement-interrupts.ts';

/**
 * The default cache of 128 MB is larger than the data, and allocating it takes a third of the start-up time. A new
 * segment of the log takes no memory before it is written.
 */
export const startParams = [
  ...PGlite.defaultStartParams,
  '-c',
  'shared_buffers=16MB',
  '-c',
  'wal_init_zero=off',
];

/** PostgreSQL's FirstGenbkiObjectId and FirstNormalObjectId (src/include/access/transam.h). */
const FIRST_CATALOG_TYPE = 10_000;
const FIRST_PROJECT_TYPE = 16_384;

export interface ConnectOptions extends Omit<PGliteOptions, 'extensions' | 'startParams'> {
  /** The result of `makeInterruptible`. */
  readonly pgliteWasmModule: WebAssembly.Module;
  /** By name, the extensions of PGlite or the URLs of their archives. */
  readonly bundled: Readonly<Record<string, URL | Extension>>;
  /** The files of SQL extensions. */
  readonly files: readonly ExtensionFile[];
  /** Finds the files of an extension that is created later. Default: none. */
  readonly findExtension?: FindExtension | undefined;
}

/** Starts PostgreSQL with an adjustable clock, interruptible statements and extensions. */
export async function connectPglite({
  bundled,
  files,
  findExtension,
  ...options
}: ConnectOptions): Promise<PGlite> {
  const clock = createDatabaseClock();
  const pglite = await startPglite({
    ...options,
    startParams,
    initialMemory: INITIAL_MEMORY_BYTES,
    extensions: {
      ...bundled,
      clock: clock.extension,
      interrupts: createStatementInterrupts().extension,
      privilegedStatements: createPrivilegedStatements(findExtension),
    },
  });
  keepClock(pglite, clock);
  await installExtensionFiles(pglite, files);
  removeCatalogRowParsers(pglite);
  return pglite;
}

const SETTINGS = `set search_path = "$user", public, extensions; set timezone = 'UTC'`;

/** The user of the services where `supabase_admin` is the bootstrap superuser, as in hosted and embedded databases. */
const ADMIN = 'supabase_admin';
/** The user of migrations, seeds, tests and clients, which is not a superuser there. */
const PROJECT_USER = 'postgres';

/**
 * Makes `user` the session's user, until `resetSession`. By `set_config`, because the embedded database refuses the
 * statement to users other than superusers. Has no effect on a database whose bootstrap superuser has another name.
 */
export async function become(session: SqlSession, user: string): Promise<void> {
  await session.query(
    `select set_config('session_authorization', $1, false) from pg_roles where oid = 10 and rolname = $2`,
    [user, ADMIN],
  );
}

/** Embedded, `reset session authorization` keeps the last user, because PGlite has no authenticated one. */
const RESET = `set statement_timeout = 0; reset session authorization;
  select set_config('session_authorization', rolname, false) from pg_roles where oid = 10 and rolname = '${ADMIN}';
  reset role; reset all; ${SETTINGS}`;

/** Restores the user and the settings that the services expect, because a script may have changed any of them. */
export async function resetSession(session: SqlSession): Promise<void> {
  await session.exec(RESET);
}

/** Continues as the user of migrations, until `resetSession`. */
export const becomeProjectUser = (session: SqlSession): Promise<void> => become(session, PROJECT_USER);

/**
 * Gives the bootstrap superuser of a new PGlite the name that it has in a hosted project. The session's user cannot be
 * renamed, hence the temporary one.
 */
export async function nameAdmin(session: SqlSession): Promise<void> {
  await session.exec(`
    create role renaming superuser; set session authorization renaming;
    alter role ${PROJECT_USER} rename to ${ADMIN};
    set session authorization ${ADMIN}; drop role renaming`);
}

/** Whether the bootstrap superuser has that name; in data folders of earlier versions it is `postgres`. */
export async function hasNamedAdmin(session: SqlSession): Promise<boolean> {
  const { rows } = await session.query('select from pg_roles where oid = 10 and rolname = $1', [ADMIN]);
  return rows.length > 0;
}

/** Ends what one user of the embedded session left behind; prepared statements and channels belong to the services. */
export async function handOver(session: SqlSession): Promise<void> {
  await session.exec(`close all; select pg_advisory_unlock_all(); discard temp; discard sequences; ${RESET}`);
}

/** Starts a fresh embedded session that no service uses. */
export async function discardSession(session: SqlSession): Promise<void> {
  await session.exec('discard all');
  await session.exec(RESET);
}

/**
 * PGlite copies its table of parsers for every query. Two thirds of them are for arrays of the catalog's row types,
 * which initdb numbers from OID 10000. No query reads these types; without them a query is 25% faster.
 */
function removeCatalogRowParsers({ parsers: known }: PGliteInterface): void {
  for (const type of Object.keys(known).map(Number)) {
    if (type >= FIRST_CATALOG_TYPE && type < FIRST_PROJECT_TYPE) delete known[type];
  }
}

import { PGlite } from '@electric-sql/pglite';
import type { Extension, PGliteInterface, PGliteOptions } from '@electric-sql/pglite';
import { createDatabaseClock, keepClock } from './database-clock.ts';
import { installExtensionFiles } from './extension-files.ts';
import type { ExtensionFile } from './extension-files.ts';
import { INITIAL_MEMORY_BYTES } from './interruptible-wasm.ts';
import type { SqlSession } from './postgres-session.ts';
import { startPglite } from './start-pglite.ts';
import { createStatementInterrupts } from './statement-interrupts.ts';

/**
 * The default cache of 128 MB is larger than the data, and allocating it takes a third of the start-up time. A new segment
 * of the log takes no memory before it is written.
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
  /** A module of `makeInterruptible`. */
  readonly pgliteWasmModule: WebAssembly.Module;
  /** The extensions that PGlite ships, or the URLs of their archives, by name. */
  readonly bundled: Readonly<Record<string, URL | Extension>>;
  /** The files of extensions in SQL. */
  readonly files: readonly ExtensionFile[];
}

/** Starts PostgreSQL with a clock that can be set, statements that end in time, and extensions. */
export async function connectPglite({ bundled, files, ...options }: ConnectOptions): Promise<PGlite> {
  const clock = createDatabaseClock();
  const pglite = await startPglite({
    ...options,
    startParams,
    initialMemory: INITIAL_MEMORY_BYTES,
    extensions: { ...bundled, clock: clock.extension, interrupts: createStatementInterrupts().extension },
  });
  keepClock(pglite, clock);
  await installExtensionFiles(pglite, files);
  removeCatalogRowParsers(pglite);
  return pglite;
}

const SETTINGS = `set search_path = "$user", public, extensions; set timezone = 'UTC'`;

/** In PGlite, which authenticates nobody, the default of `session authorization` is whatever was set last. */
export const RESET_EMBEDDED = `set session authorization postgres; reset role; reset all; ${SETTINGS}`;

/** Sets what every script and the services find: a script may have changed any of it. */
export async function resetSession(session: SqlSession): Promise<void> {
  await session.exec(`reset role; reset all; ${SETTINGS}`);
}

/** Ends what one user of the embedded session has left to the next; prepared statements and channels belong to the services. */
export async function handOver(session: SqlSession): Promise<void> {
  await session.exec(
    `close all; select pg_advisory_unlock_all(); discard temp; discard sequences; ${RESET_EMBEDDED}`,
  );
}

/** Begins an embedded session that no service uses. */
export async function discardSession(session: SqlSession): Promise<void> {
  await session.exec('discard all');
  await session.exec(RESET_EMBEDDED);
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

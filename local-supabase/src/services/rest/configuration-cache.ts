import type { PgliteDatabase } from '../../database/pglite-database.ts';
import type { Catalog } from './catalog/catalog.ts';
import { loadCatalog, type CatalogQuery } from './catalog/load-catalog.ts';
import { TIMEZONES } from './catalog/routine-queries.ts';
import { withRoleSettings } from './role-settings.ts';
import type { RestSettings } from './settings.ts';

/** The data read from the database: the settings, and the catalog of their schemas. */
export interface Configuration {
  readonly settings: RestSettings;
  readonly catalog: Catalog;
  /** The names of time zones, read at the first call, because PostgreSQL opens a file for each. */
  timezones(): Promise<ReadonlySet<string>>;
}

/** Caches the configuration until a notification on the channel `pgrst`. */
export interface ConfigurationCache {
  /** Uses the session; call it, and `timezones` of its result, within `database.exclusive`. */
  current(): Promise<Configuration>;
  close(): Promise<void>;
}

/**
 * Reads the settings at the start and after `reload config`, which also drops the catalog: it depends on the settings
 * and contains those of the roles.
 *
 * @param report receives the error of a setting that is malformed after the start; the previous settings stay.
 * @throws {TypeError} for a malformed setting at the start.
 */
export async function createConfigurationCache(
  database: PgliteDatabase,
  base: RestSettings,
  report: (problem: unknown) => void,
): Promise<ConfigurationCache> {
  let settings = await database.exclusive(() => withRoleSettings(database, base));
  let isStale = false;
  let catalog: Catalog | undefined;
  let timezones: ReadonlySet<string> | undefined;
  const close = await database.listen('pgrst', (payload) => {
    catalog = undefined;
    isStale ||= payload === 'reload config';
  });
  const reload = async () => {
    isStale = false;
    try {
      settings = await withRoleSettings(database, base);
    } catch (problem) {
      if (!(problem instanceof TypeError)) {
        isStale = true;
        throw problem;
      }
      report(problem);
    }
  };
  const readTimezones = async () => {
    timezones ??= new Set(
      await readCatalogs(database, async (query) => (await query(TIMEZONES, [])) as string[]),
    );
    return timezones;
  };
  return {
    async current() {
      if (isStale) await reload();
      catalog ??= await readCatalogs(database, (query) => loadCatalog(query, settings));
      return { settings, catalog, timezones: readTimezones };
    },
    close,
  };
}

/** With an empty search path, PostgreSQL prints types and functions with their schema. */
async function readCatalogs<T>(
  database: PgliteDatabase,
  read: (query: CatalogQuery) => Promise<T>,
): Promise<T> {
  const opening = [{ text: 'BEGIN READ ONLY' }, { text: `SET LOCAL search_path = ''` }];
  await database.pipeline(opening, { keepsFiles: false });
  try {
    return await read(async (text, params) => {
      const values = params.map((one) => arrayLiteral(one as readonly string[]));
      const [result] = await database.pipeline([{ text, values }], { keepsFiles: false });
      return JSON.parse(result?.rows[0]?.[0] ?? 'null') as unknown;
    });
  } finally {
    await database.pipeline([{ text: 'ROLLBACK' }]);
  }
}

const arrayLiteral = (names: readonly string[]): string =>
  `{${names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;

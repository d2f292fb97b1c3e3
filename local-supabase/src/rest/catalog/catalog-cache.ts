import type { PgliteDatabase } from '../../database/pglite-database.ts';
import type { Catalog } from './catalog.ts';
import { loadCatalog } from './load-catalog.ts';
import type { CatalogSettings } from './load-catalog.ts';

/** Keeps what was read of the database's catalog, until a notification on the channel `pgrst`. */
export interface CatalogCache {
  /** Holds the session; call it within `database.exclusive`. */
  current(): Promise<Catalog>;
  close(): Promise<void>;
}

export async function createCatalogCache(
  database: PgliteDatabase,
  settings: CatalogSettings,
): Promise<CatalogCache> {
  let catalog: Catalog | undefined;
  const close = await database.listen('pgrst', () => {
    catalog = undefined;
  });
  return {
    async current() {
      catalog ??= await load(database, settings);
      return catalog;
    },
    close,
  };
}

/** With an empty search path, PostgreSQL writes every type and function with its schema. */
async function load(database: PgliteDatabase, settings: CatalogSettings): Promise<Catalog> {
  const opening = [{ text: 'BEGIN READ ONLY' }, { text: `SET LOCAL search_path = ''` }];
  await database.pipeline(opening, { keepsFiles: false });
  try {
    return await loadCatalog(async (text, params) => {
      const values = params.map((one) => arrayLiteral(one as readonly string[]));
      const [result] = await database.pipeline([{ text, values }], { keepsFiles: false });
      return JSON.parse(result?.rows[0]?.[0] ?? 'null') as unknown;
    }, settings);
  } finally {
    await database.pipeline([{ text: 'ROLLBACK' }]);
  }
}

const arrayLiteral = (names: readonly string[]): string =>
  `{${names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;

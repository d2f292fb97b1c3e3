import { StartError } from '../platform/start-error.ts';
import type { CatalogQuery } from '../services/rest/catalog/load-catalog.ts';
import { createLocalSupabase } from '../server/server.ts';
import { generateTypes } from '../project/types/database-types.ts';

export interface TypesSource {
  /** `postgres://…` of any database. Default: an in-memory database with the project's migrations. */
  readonly url?: string | undefined;
  /** The folder that contains `supabase/`. */
  readonly project: string;
  /** Default `public`. */
  readonly schemas?: readonly string[] | undefined;
}

/** The version of PostgREST that hosted projects run, and that the embedded service behaves as. */
const POSTGREST_VERSION = '14.1';

/**
 * Returns the text of `database.types.ts`.
 *
 * @throws {StartError} if the database is unreachable, or the project cannot start.
 */
export async function typesOf({ url, project, schemas }: TypesSource): Promise<string> {
  const options = { schemas, postgrestVersion: POSTGREST_VERSION };
  if (url !== undefined) return withServer(url, (query) => generateTypes(query, options));
  const supabase = await createLocalSupabase({ project, seed: false });
  try {
    const { database } = supabase;
    return await generateTypes(async (text, params) => {
      const [row] = await database.query<{ result: unknown }>(text, params);
      return row?.result;
    }, options);
  } finally {
    await supabase.close();
  }
}

async function withServer(url: string, task: (query: CatalogQuery) => Promise<string>): Promise<string> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return await task(async (text, params) => {
      const { rows } = await client.query<{ result: unknown }>(text, [...params]);
      return rows[0]?.result;
    });
  } catch (cause) {
    throw new StartError(
      `The types cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  } finally {
    await client.end();
  }
}

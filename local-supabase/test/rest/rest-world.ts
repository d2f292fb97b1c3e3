import { openDatabase } from '../../src/project/open-database.ts';
import type { PgliteDatabase } from '../../src/database/pglite-database.ts';
import type { Claims } from '../../src/keys/keys.ts';
import { createRestService } from '../../src/services/rest/rest-service.ts';
import type { RestSettings } from '../../src/services/rest/settings.ts';

/** The REST service on an empty project with the test's tables. */
export interface RestWorld {
  readonly database: PgliteDatabase;
  /** Sends a request as the service role; `path` is relative to `/rest/v1`. */
  ask(path: string, init?: RequestInit, claims?: Claims): Promise<Response>;
  close(): Promise<void>;
}

export async function openRestWorld(
  sql: string,
  settings: Partial<RestSettings> = {},
  report?: (problem: unknown) => void,
): Promise<RestWorld> {
  const { database } = await openDatabase({
    project: new URL('./no-project/', import.meta.url),
    seed: false,
  });
  await database.exec(sql);
  const world = await serveRest(database, settings, report);
  return {
    ...world,
    async close() {
      await world.close();
      await database.close();
    },
  };
}

/** Serves a database of another world with other settings. */
export async function serveRest(
  database: PgliteDatabase,
  settings: Partial<RestSettings>,
  report?: (problem: unknown) => void,
): Promise<RestWorld> {
  const rest = await createRestService({ database, settings, ...(report && { report }) });
  return {
    database,
    ask: async (path, init, claims = { role: 'service_role' }) =>
      rest.handle(new Request(`http://project.test/rest/v1${path}`, init), claims),
    close: () => rest.close(),
  };
}

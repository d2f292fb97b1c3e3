import { createPgliteDatabase, type PgliteDatabase } from '../database/pglite-database.ts';
import { StartError } from '../platform/start-error.ts';
import { installRealtimeSchema } from '../services/realtime/schema.ts';
import type { DatabaseOptions, OpenDatabase } from './open-database.ts';
import { readProjectSql, type PlatformPart, type ProjectSql } from './project-sql.ts';
import { realtimeSchemaSql } from './realtime-sql.ts';
import { resetSession } from '../database/connect.ts';
import { buildSchema, updateSchema } from './schema.ts';
import { startServerSession } from './server-session.ts';

export interface ServerDatabaseOptions extends Pick<DatabaseOptions, 'project' | 'settings' | 'seed'> {
  /** Applied after the services' schemas. Default: nothing. */
  readonly furtherPart?: PlatformPart;
  /** Whether the database is a copy of a current one. Default false. */
  readonly isCurrent?: boolean;
}

/**
 * Opens a database of a real PostgreSQL with the project's schema: an empty one, or one from an earlier start. The
 * services share one session; other programs have their own.
 *
 * @throws {StartError} if the server cannot be used, or the database contains anything but this project.
 */
export async function openServerDatabase(url: string, options: ServerDatabaseOptions): Promise<OpenDatabase> {
  const { seed = true } = options;
  const connect = () =>
    startServerSession(url).catch((problem: unknown) => {
      const reason = problem instanceof Error ? problem.message : String(problem);
      throw new StartError(`The database at ${withoutPassword(url)} cannot be used: ${reason}`, problem);
    });
  const sql = await readSql(options);
  const session = await connect();
  const reopen = async () => {
    const fresh = await connect();
    await resetSession(fresh);
    return fresh;
  };
  const database = createPgliteDatabase(session, { reopen });
  try {
    if (options.isCurrent) await resetSession(session);
    else await applyProject(database, sql, seed, withoutPassword(url));
  } catch (problem) {
    await database.close();
    throw problem;
  }
  return {
    database,
    // The server provides extensions itself.
    standIns: new Set(),
    notes: sql.notes,
    setAhead: (byMs) =>
      database.session((own) => ('setAhead' in own ? own.setAhead(byMs) : Promise.resolve())),
    serverUrl: url,
    migrate: async () => {
      const next = await readSql(options);
      return database.session((own) => updateSchema(own, next));
    },
  };
}

/** @param shownUrl the URL for messages. */
async function applyProject(
  database: PgliteDatabase,
  sql: ProjectSql,
  seed: boolean,
  shownUrl: string,
): Promise<void> {
  const [found] = await database.query<{ is_known: boolean; is_empty: boolean; available: string[] }>(
    `select to_regclass('supabase_migrations.schema_migrations') is not null as is_known,
       to_regnamespace('auth') is null
         and not exists (select from pg_class where relnamespace = 'public'::regnamespace) as is_empty,
       array(select name::text from pg_available_extensions order by name) as available`,
  );
  if (!found?.is_known && !found?.is_empty)
    throw new StartError(
      `The database at ${shownUrl} has objects that are not this project's. They are kept: name an empty database, such as a new one by "create database shop"`,
    );
  const served = { ...sql, available: found.available };
  try {
    await database.session(async (own) => {
      if (found.is_known) await updateSchema(own, served);
      else await buildSchema(own, served, seed);
      await resetSession(own);
    });
  } catch (problem) {
    const [, missing] = /^extension "(.+)" is not available$/.exec((problem as Error).message) ?? [];
    if (missing === undefined) throw problem;
    throw new StartError(
      `The project needs the extension "${missing}", which the server at ${shownUrl} lacks. Install it there. The embedded PostgreSQL provides ${sql.available.join(', ')}`,
      problem,
    );
  }
  await installRealtimeSchema(database, 'supabase_realtime', realtimeSchemaSql);
  // Create the partitions of the next days, which a start would create.
  await database.query('select realtime.maintain_messages()');
}

async function readSql({ project, settings, furtherPart }: ServerDatabaseOptions): Promise<ProjectSql> {
  const sql = await readProjectSql(project, settings);
  return furtherPart ? { ...sql, platform: [...sql.platform, furtherPart] } : sql;
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.href;
}

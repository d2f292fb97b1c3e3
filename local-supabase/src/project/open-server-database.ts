import { createPgliteDatabase } from '../database/pglite-database.ts';
import { StartError } from '../http/start-error.ts';
import { installRealtimeSchema } from '../realtime/schema.ts';
import type { DatabaseOptions, OpenDatabase } from './open-database.ts';
import { readProjectSql } from './project-sql.ts';
import { realtimeSchemaSql } from './realtime-sql.ts';
import { resetSession } from '../database/connect.ts';
import { buildSchema, updateSchema } from './schema.ts';
import { startServerSession } from './server-session.ts';

/**
 * Opens a database of a real PostgreSQL with the project's schema: an empty one, or one from an earlier start. The
 * services share one session; other programs have their own.
 *
 * @throws {StartError} if the server cannot be used, or the database contains anything but this project.
 */
export async function openServerDatabase(
  url: string,
  { project, settings, seed = true }: Pick<DatabaseOptions, 'project' | 'settings' | 'seed'>,
): Promise<OpenDatabase> {
  const connect = () =>
    startServerSession(url).catch((problem: unknown) => {
      const reason = problem instanceof Error ? problem.message : String(problem);
      throw new StartError(`The database at ${withoutPassword(url)} cannot be used: ${reason}`, problem);
    });
  const sql = await readProjectSql(project, settings);
  const session = await connect();
  const reopen = async () => {
    const fresh = await connect();
    await resetSession(fresh);
    return fresh;
  };
  const database = createPgliteDatabase(session, { reopen });
  try {
    const [found] = await database.query<{ is_known: boolean; is_empty: boolean }>(
      `select to_regclass('supabase_migrations.schema_migrations') is not null as is_known,
         to_regnamespace('auth') is null
           and not exists (select from pg_class where relnamespace = 'public'::regnamespace) as is_empty`,
    );
    if (!found?.is_known && !found?.is_empty)
      throw new StartError(
        `The database at ${withoutPassword(url)} has objects that are not this project's. They are kept: name an empty database, such as a new one by "create database shop"`,
      );
    await database.session(async (own) => {
      if (found.is_known) await updateSchema(own, sql);
      else await buildSchema(own, sql, seed);
      await resetSession(own);
    });
    await installRealtimeSchema(database, 'supabase_realtime', realtimeSchemaSql);
  } catch (problem) {
    await database.close();
    const [, missing] = /^extension "(.+)" is not available$/.exec((problem as Error).message) ?? [];
    if (missing === undefined) throw problem;
    throw new StartError(
      `The project needs the extension "${missing}", which the server at ${withoutPassword(url)} lacks. Install it there, or start without --database-url: local-supabase has or stands in for ${sql.available.join(', ')}`,
      problem,
    );
  }
  return {
    database,
    // The server provides extensions itself.
    standIns: new Set(),
    notes: sql.notes,
    setAhead: (byMs) =>
      database.session((own) => ('setAhead' in own ? own.setAhead(byMs) : Promise.resolve())),
    migrate: async () => {
      const next = await readProjectSql(project, settings);
      return database.session((own) => updateSchema(own, next));
    },
  };
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.href;
}

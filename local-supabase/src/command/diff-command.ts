import { Pool } from 'pg';
import { StartError } from '../platform/start-error.ts';
import { startPostgresServer } from '../postgres-port/postgres-server.ts';
import { openDatabase } from '../project/open-database.ts';
import type { DatabaseSettings } from '../project/options.ts';
import { readScripts } from '../project/project-sql.ts';

export interface SchemaDifference {
  /** The SQL of the missing migrations. `alter type … add value` needs a separate one; one is enough for all else. */
  readonly migrations: readonly string[];
  /** The differences that these migrations do not cover, as sentences. */
  readonly notes: readonly string[];
}

/** A database that is made for the comparison. */
interface Compared {
  readonly pool: Pool;
  close(): Promise<void>;
}

/** The triggers and event triggers of the outbox, which the publication implies. */
const WITHOUT_OUTBOX = `
  drop event trigger realtime_follow_schema;
  drop event trigger realtime_follow_drops;
  do $$
  declare
    watched record;
  begin
    for watched in select tgrelid::regclass as relation from pg_trigger where tgname = 'realtime_capture' loop
      execute format('drop trigger realtime_capture on %s', watched.relation);
    end loop;
  end $$`;

/** The library leaves the schemas of the services out, except for triggers. */
const SERVICE_POLICIES = `
  select format('The policy %I on %I.%I', policyname, schemaname, tablename) as name,
    concat_ws(' ', permissive, roles, cmd, qual, with_check) as definition
  from pg_policies where schemaname in ('auth', 'realtime', 'storage')`;

/**
 * Compares the declarative schemas with the migrations, and proves the difference: applied to a database with the
 * migrations, it makes the schemas.
 *
 * @param project a project's `supabase/`.
 * @throws {StartError} without schema files or the package, for SQL that is rejected, or a difference that is not proved.
 */
export async function diffSchemas(project: URL, settings: DatabaseSettings = {}): Promise<SchemaDifference> {
  const { schemaPaths = ['schemas/**/*.sql'] } = settings;
  if ((await readScripts(project, schemaPaths)).length === 0)
    throw new StartError(
      'There are no schema files: write them into supabase/schemas, or name them in db.migrations.schema_paths',
    );
  const library = await loadLibrary();
  const migrated = await open(project, settings);
  const declared = await open(project, { ...settings, migrations: false });
  try {
    return {
      notes: await compareServicePolicies(migrated.pool, declared.pool),
      migrations: await compare(library, migrated.pool, declared.pool),
    };
  } finally {
    await migrated.close();
    await declared.close();
  }
}

type Library = Awaited<ReturnType<typeof importLibrary>>;

const importLibrary = async () => ({
  ...(await import('@supabase/pg-delta/integrations')),
  ...(await import('@supabase/pg-delta/plan')),
  ...(await import('@supabase/pg-delta/proof')),
  ...(await import('@supabase/pg-delta/frontends')),
});

function loadLibrary(): Promise<Library> {
  return importLibrary().catch((problem: unknown) => {
    throw new StartError(
      'db diff needs a package that is not installed. Install it: npm install --save-dev @supabase/pg-delta@1.0.0-alpha.34',
      problem,
    );
  });
}

async function open(project: URL, settings: DatabaseSettings): Promise<Compared> {
  const { database } = await openDatabase({ project, settings, seed: false });
  await database.exec(WITHOUT_OUTBOX);
  const server = await startPostgresServer({ database, port: 0 });
  // As `postgres`, who owns what migrations create. A second connection would wait for the transaction of the first.
  const pool = new Pool({ connectionString: server.url, max: 1 });
  return {
    pool,
    async close() {
      await pool.end();
      await server.close();
      await database.close();
    },
  };
}

async function compareServicePolicies(migrated: Pool, declared: Pool): Promise<readonly string[]> {
  const read = async (pool: Pool) => {
    const { rows } = await pool.query<{ name: string; definition: string }>(SERVICE_POLICIES);
    return new Map(rows.map(({ name, definition }) => [name, definition]));
  };
  const [present, wanted] = [await read(migrated), await read(declared)];
  const names = new Set([...present.keys(), ...wanted.keys()]);
  return [...names]
    .filter((name) => present.get(name) !== wanted.get(name))
    .map(
      (name) => `${name} differs: policies on tables of the services are not compared, write its migration`,
    );
}

async function compare(library: Library, migrated: Pool, declared: Pool): Promise<readonly string[]> {
  const profile = await library.resolveProfile(migrated, library.supabaseProfile);
  const { factBase: present } = await profile.extract(migrated);
  const { factBase: wanted } = await profile.extract(declared);
  const plan = library.plan(present, wanted, profile.planOptions);
  const { files } = library.renderPlanFiles(plan, { allowDrops: true });
  if (files.length === 0) return [];
  const { ok, driftDeltas } = await library.provePlan(plan, migrated, wanted, profile.proveOptions);
  if (!ok)
    throw new StartError(
      `The generated migration is not correct: applied after the migrations, ${driftDeltas.length} objects differ from the schemas. Write this migration by hand`,
    );
  return files.map(({ contents }) => contents);
}

import type { PGliteInterface } from '@electric-sql/pglite';
import type { Migration, ProjectSql } from './project-sql.ts';

/** PostgreSQL refused the project's SQL, or the database was made from other migrations. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

interface AppliedMigration {
  readonly version: string;
  readonly name: string;
  readonly statements: readonly string[];
}

/** Builds the whole schema in an empty database. */
export async function buildSchema(pglite: PGliteInterface, sql: ProjectSql, seed: boolean): Promise<void> {
  await applyPlatform(pglite, sql);
  await applyMigrations(pglite, sql.migrations);
  if (seed) await attempt('supabase/seed.sql', () => pglite.exec(sql.seed));
}

/** Brings an existing database to the present schema: the services' parts that changed, and new migrations. */
export async function updateSchema(pglite: PGliteInterface, sql: ProjectSql): Promise<void> {
  await requireSameHistory(pglite, sql.migrations);
  await applyPlatform(pglite, sql);
  await applyMigrations(pglite, sql.migrations);
}

/**
 * Refuses a database whose applied migrations have other SQL now, because the new SQL would never be applied. A change of
 * comments or spaces is no other SQL.
 */
async function requireSameHistory(pglite: PGliteInterface, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await pglite.query<AppliedMigration>(
    'select version, name, statements from supabase_migrations.schema_migrations order by version',
  );
  const current = new Map(migrations.map(({ version, sql }) => [version, sql]));
  for (const { version, name, statements } of rows) {
    const sql = current.get(version);
    if (sql !== undefined && withoutComments(sql) === withoutComments(statements.join('\n'))) continue;
    throw new SchemaError(
      `its migration ${version}_${name} was ${sql === undefined ? 'deleted' : 'edited'} after it was applied`,
    );
  }
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/\/\*.*?\*\/|--[^\n]*|\s+/gs, '');
}

/** The hashes of the applied parts are stored in the comment of a schema. */
async function applyPlatform(pglite: PGliteInterface, { platform }: ProjectSql): Promise<void> {
  const { rows } = await pglite.query<{ hashes: string | null }>(
    `select obj_description(to_regnamespace('supabase_migrations'), 'pg_namespace') as hashes`,
  );
  const applied = rows[0]?.hashes?.split(' ') ?? [];
  const changed = platform.filter(({ hash }) => !applied.includes(hash));
  for (const { name, sql } of changed) {
    await attempt(`local-supabase/${name}`, () => pglite.transaction((transaction) => transaction.exec(sql)));
  }
  if (changed.length === 0) return;
  const hashes = platform.map(({ hash }) => hash).join(' ');
  await pglite.exec(`comment on schema supabase_migrations is '${hashes}'`);
}

/** Applies each migration in its own transaction and records it in the table that the vendor's CLI uses. */
async function applyMigrations(pglite: PGliteInterface, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await pglite.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  );
  const applied = new Set(rows.map(({ version }) => version));
  for (const { version, name, sql } of migrations.filter((migration) => !applied.has(migration.version))) {
    await attempt(`Migration ${version}_${name}`, () =>
      pglite.transaction(async (transaction) => {
        await transaction.exec(sql);
        await transaction.query(
          'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
          [version, name, [sql]],
        );
      }),
    );
  }
}

async function attempt(part: string, task: () => Promise<unknown>): Promise<void> {
  try {
    await task();
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new SchemaError(`${part} could not be applied: ${reason}`, { cause: problem });
  }
}

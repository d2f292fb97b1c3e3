import type { SqlSession } from '../database/postgres-session.ts';
import type { Migration, ProjectSql } from './project-sql.ts';
import { resetSession } from '../database/connect.ts';
import { runScript, SchemaError } from './run-script.ts';

interface AppliedMigration {
  readonly version: string;
  readonly name: string;
  readonly statements: readonly string[];
}

const anew = 'build the local database anew, without its rows: local-supabase reset';

export async function buildSchema(pglite: SqlSession, sql: ProjectSql, seed: boolean): Promise<void> {
  await applyPlatform(pglite, sql);
  for (const script of sql.roles) await runScript(pglite, script, sql.available);
  await applyMigrations(pglite, sql);
  if (!seed) return;
  for (const script of sql.seeds) await runScript(pglite, script, sql.available);
}

/**
 * Updates an existing database: applies changed service schemas and new migrations.
 *
 * @returns the paths of the applied migrations.
 */
export async function updateSchema(pglite: SqlSession, sql: ProjectSql): Promise<readonly string[]> {
  await requireSameHistory(pglite, sql.migrations);
  await applyPlatform(pglite, sql);
  return applyMigrations(pglite, sql);
}

/**
 * Rejects a database whose applied migrations have changed since, because their new SQL would never be applied. Ignores
 * changes of comments and spaces.
 */
async function requireSameHistory(pglite: SqlSession, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await pglite.query<AppliedMigration>(
    'select version, name, statements from supabase_migrations.schema_migrations order by version',
  );
  const current = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, statements } of rows) {
    const migration = current.get(version);
    if (!migration)
      throw new SchemaError(
        `The migration ${[version, name].filter(Boolean).join('_')} was deleted after it was applied. Restore its file, or ${anew}`,
      );
    if (withoutComments(migration.sql) !== withoutComments(statements.join('\n')))
      throw new SchemaError(
        `${migration.path} was edited after it was applied. Put the change into a new migration, or ${anew}`,
      );
  }
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/\/\*.*?\*\/|--[^\n]*|\s+/gs, '');
}

/** The hashes of the applied parts are stored as the comment of a schema. */
async function applyPlatform(pglite: SqlSession, { platform, extensions }: ProjectSql): Promise<void> {
  const { rows } = await pglite.query<{ hashes: string | null }>(
    `select obj_description(to_regnamespace('supabase_migrations'), 'pg_namespace') as hashes`,
  );
  const applied = rows[0]?.hashes?.split(' ') ?? [];
  const changed = platform.filter(({ hash }) => !applied.includes(hash));
  for (const { path, sql } of changed) {
    try {
      await pglite.transaction((transaction) => transaction.exec(sql));
    } catch (problem) {
      const reason = problem instanceof Error ? problem.message : String(problem);
      throw new SchemaError(`${path} could not be applied: ${reason}`, { cause: problem });
    }
  }
  await pglite.exec(`set role supabase_admin; ${extensions.preinstall}; reset role`);
  if (changed.length === 0) return;
  const hashes = platform.map(({ hash }) => hash).join(' ');
  await pglite.exec(`comment on schema supabase_migrations is '${hashes}'`);
}

/** Applies each migration in its own transaction and records it in the CLI's table. */
async function applyMigrations(
  pglite: SqlSession,
  { migrations, available }: ProjectSql,
): Promise<readonly string[]> {
  const { rows } = await pglite.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  );
  const applied = new Set(rows.map(({ version }) => version));
  const pending = migrations.filter((migration) => !applied.has(migration.version));
  for (const migration of pending) {
    const { version, name, sql } = migration;
    await runScript(pglite, migration, available, () =>
      pglite.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [version, name, [sql]],
      ),
    );
  }
  await resetSession(pglite);
  return pending.map(({ path }) => path);
}

import type { PGliteInterface } from '@electric-sql/pglite';
import type { Migration, ProjectSql } from './project-sql.ts';

/** SQL of the project that PostgreSQL refused. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  constructor(part: string, cause: unknown) {
    super(`${part} could not be applied: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Builds the whole schema in an empty database. */
export async function buildSchema(pglite: PGliteInterface, sql: ProjectSql, seed: boolean): Promise<void> {
  await applyPlatform(pglite, sql);
  await applyMigrations(pglite, sql.migrations);
  if (seed) await attempt('supabase/seed.sql', () => pglite.exec(sql.seed));
}

/** Brings an existing database to the present schema: the platform's part if it changed, and new migrations. */
export async function updateSchema(pglite: PGliteInterface, sql: ProjectSql): Promise<void> {
  const { rows } = await pglite.query<{ hash: string }>(
    `select obj_description('supabase_migrations'::regnamespace, 'pg_namespace') as hash`,
  );
  if (rows[0]?.hash !== sql.platformHash) await applyPlatform(pglite, sql);
  await applyMigrations(pglite, sql.migrations);
}

async function applyPlatform(pglite: PGliteInterface, { platform, platformHash }: ProjectSql): Promise<void> {
  for (const part of platform) await attempt('The schema of the services', () => pglite.exec(part));
  await pglite.exec(`comment on schema supabase_migrations is '${platformHash}'`);
}

/** Each in a transaction of its own, recorded where the vendor's CLI records it. */
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
    throw new SchemaError(part, problem);
  }
}

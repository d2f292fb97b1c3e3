import { PGlite } from '@electric-sql/pglite';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { uuid_ossp } from '@electric-sql/pglite/contrib/uuid_ossp';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { readProjectSql } from 'local-supabase/testing';
import { startCluster } from './postgres-cluster.ts';

/** One session of a database with the project's migrations. */
export interface ScaleDatabase {
  /** Name and version, for the table. */
  readonly name: string;
  exec(sql: string): Promise<void>;
  query<Row>(sql: string, params?: readonly unknown[]): Promise<readonly Row[]>;
  /** Opens a further session; null on the embedded database, which has one only. */
  readonly connect: (() => Promise<Client>) | null;
  close(): Promise<void>;
}

/** Realtime's tables are the service's, and its triggers exist in the embedded service alone. */
const SKIPPED_PART = '/realtime/schema.sql';

/** The measurements run the jobs' commands themselves, and a pg_cron that the machine may have is not preloaded. */
const WITHOUT_JOBS = `
  set allow_system_table_mods = on;
  create or replace view pg_catalog.pg_available_extensions as
    select e.name, e.default_version, x.extversion as installed_version, e.comment
    from pg_available_extensions() e left join pg_extension x on e.name = x.extname where e.name <> 'pg_cron';
  reset allow_system_table_mods;`;

/** On a hosted project the migrations' owner is not a superuser, and owns the database and what it creates. */
const OWNER = `
  create role postgres login createdb createrole replication bypassrls;
  alter database postgres owner to postgres;`;

/**
 * The grants of the services to that owner: rows, triggers and references of users, and policies for files and
 * messages, which a hosted project allows by its own extension and this cluster by membership.
 */
const GRANTS = `
  alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
  alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
  alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
  alter publication supabase_realtime owner to postgres;
  do $$ declare service text; relation regclass; begin
    foreach service in array array['auth', 'storage'] loop
      for relation in select oid from pg_class where relnamespace = service::regnamespace and relkind in ('r', 'p') loop
        execute format('alter table %s owner to supabase_%s_admin', relation, service);
      end loop;
    end loop;
  end $$;
  grant supabase_storage_admin to postgres;
  grant anon, authenticated, authenticator, service_role to postgres with admin option;
  grant set on parameter session_replication_role to postgres;
  grant usage on schema auth, storage, realtime, extensions to postgres with grant option;
  grant all on all tables in schema auth, storage, realtime to postgres with grant option;
  grant all on all routines in schema auth, storage, realtime to postgres with grant option;`;

/**
 * @param binaries the folder of PostgreSQL's `initdb` and `pg_ctl`; undefined: the embedded database.
 * @param earlier the migrations of an earlier version. Default: the project's.
 */
export async function openScaleDatabase(
  binaries: string | undefined,
  earlier?: readonly { readonly sql: string }[],
): Promise<ScaleDatabase> {
  const { platform, migrations: latest } = await readProjectSql();
  const migrations = earlier ?? latest;
  const parts = platform.filter(({ path }) => !path.endsWith(SKIPPED_PART)).map(({ sql }) => sql);
  const database = binaries === undefined ? await openEmbedded(parts) : await openCluster(binaries, parts);
  await database.exec('set search_path = "$user", public, extensions');
  for (const { sql } of migrations) await database.exec(`begin; ${sql}; commit;`);
  return database;
}

async function openEmbedded(platform: readonly string[]): Promise<ScaleDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'scale-'));
  const pglite = await PGlite.create(folder, { extensions: { pgcrypto, unaccent, uuid_ossp } });
  for (const sql of platform) await pglite.exec(sql);
  return {
    name: await versionOf(
      async (sql) => (await pglite.query<{ version: string }>(sql)).rows,
      'embedded (PGlite)',
    ),
    exec: async (sql) => void (await pglite.exec(sql)),
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await pglite.query<Row>(sql, [...params])).rows,
    connect: null,
    async close() {
      await pglite.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openCluster(binaries: string, platform: readonly string[]): Promise<ScaleDatabase> {
  const cluster = await startCluster(binaries);
  const connect = async (user = 'postgres') => {
    const client = new Client({ host: cluster.socketFolder, port: cluster.port, user, database: 'postgres' });
    await client.connect();
    return client;
  };
  const admin = await connect('supabase_admin');
  for (const sql of [WITHOUT_JOBS, OWNER, ...platform, GRANTS]) await admin.query(sql);
  await admin.end();
  const client = await connect();
  return {
    name: await versionOf(async (sql) => (await client.query<{ version: string }>(sql)).rows, 'PostgreSQL'),
    exec: async (sql) => void (await client.query(sql)),
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await client.query(sql, [...params])).rows as Row[],
    connect: async () => connect(),
    async close() {
      await client.end();
      await cluster.stop();
    },
  };
}

async function versionOf(
  query: (sql: string) => Promise<readonly { version: string }[]>,
  name: string,
): Promise<string> {
  const [row] = await query(`select current_setting('server_version') as version`);
  return `${name} ${row?.version.split(' ')[0]}`;
}

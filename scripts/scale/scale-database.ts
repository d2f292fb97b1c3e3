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
const SKIPPED_PART = 'realtime/schema.sql';

/** @param binaries the folder of PostgreSQL's `initdb` and `pg_ctl`; undefined: the embedded database. */
export async function openScaleDatabase(binaries: string | undefined): Promise<ScaleDatabase> {
  const database = binaries === undefined ? await openEmbedded() : await openCluster(binaries);
  const { platform, migrations } = await readProjectSql();
  for (const { name, sql } of platform) if (name !== SKIPPED_PART) await database.exec(sql);
  await database.exec('set search_path = "$user", public, extensions');
  for (const { sql } of migrations) await database.exec(`begin; ${sql}; commit;`);
  return database;
}

async function openEmbedded(): Promise<ScaleDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'scale-'));
  const pglite = await PGlite.create(folder, { extensions: { pgcrypto, unaccent, uuid_ossp } });
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

async function openCluster(binaries: string): Promise<ScaleDatabase> {
  const cluster = await startCluster(binaries);
  const connect = async () => {
    const client = new Client({
      host: cluster.socketFolder,
      port: cluster.port,
      user: 'postgres',
      database: 'postgres',
    });
    await client.connect();
    return client;
  };
  const client = await connect();
  return {
    name: await versionOf(async (sql) => (await client.query<{ version: string }>(sql)).rows, 'PostgreSQL'),
    exec: async (sql) => void (await client.query(sql)),
    query: async <Row>(sql: string, params: readonly unknown[] = []) =>
      (await client.query(sql, [...params])).rows as Row[],
    connect,
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

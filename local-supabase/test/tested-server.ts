import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { uuid_ossp } from '@electric-sql/pglite/contrib/uuid_ossp';
import { Client } from 'pg';
import { createPgliteDatabase } from '../src/database/pglite-database.ts';
import { startPostgresServer } from '../src/postgres-port/postgres-server.ts';

/** A connection to an empty database. */
export interface TestedServer {
  readonly url: string;
  exec(sql: string): Promise<void>;
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

/** @returns a new database on the server of POSTGRES_URL, or else a PGlite behind a port. */
export function startTestedServer(): Promise<TestedServer> {
  const url = process.env['POSTGRES_URL'];
  return url === undefined ? startPgliteServer() : createServerDatabase(url);
}

async function startPgliteServer(): Promise<TestedServer> {
  const database = createPgliteDatabase(
    await PGlite.create({ extensions: { pgcrypto, 'uuid-ossp': uuid_ossp } }),
  );
  let server = await startPostgresServer({ database, port: 0 });
  const { url } = server;
  return {
    url,
    exec: database.exec,
    async disconnect() {
      await server.close();
      server = await startPostgresServer({ database, port: Number(new URL(url).port) });
    },
    async close() {
      await server.close();
      await database.close();
    },
  };
}

async function createServerDatabase(serverUrl: string): Promise<TestedServer> {
  const name = `local_supabase_${randomUUID().slice(0, 8)}`;
  const run = async (url: string, sql: string) => {
    const client = new Client(url);
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(serverUrl, `create database ${name}`);
  const { href: url } = Object.assign(new URL(serverUrl), { pathname: `/${name}` });
  return {
    url,
    exec: (sql) => run(url, sql),
    disconnect: () =>
      run(serverUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`),
    close: () => run(serverUrl, `drop database ${name} with (force)`),
  };
}

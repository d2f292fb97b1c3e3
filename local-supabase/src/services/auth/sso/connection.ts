import type { Database, Sql } from '../../../database/database.ts';
import type { SsoConnection } from '../settings.ts';

/** A company's identity provider, as stored in the database. */
export interface Connection {
  readonly id: string;
  readonly disabled: boolean | null;
}

/** Writes the configured connections to the tables of single sign-on. Idempotent. */
export async function saveConnections(
  database: Database,
  nowMs: number,
  connections: readonly SsoConnection[],
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  for (const { id, domains } of connections)
    await database.transaction(async (sql) => {
      await sql.query(
        'insert into auth.sso_providers (id, created_at, updated_at) values ($1, $2, $2) on conflict do nothing',
        [id, now],
      );
      for (const domain of domains)
        await sql.query(
          `insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
           values ($1, $2, $3, $4, $4) on conflict do nothing`,
          [crypto.randomUUID(), id, domain, now],
        );
    });
}

export async function findConnectionById(sql: Sql, id: string): Promise<Connection | undefined> {
  const [connection] = await sql.query<Connection>(
    'select id, disabled from auth.sso_providers where id = $1',
    [id],
  );
  return connection;
}

export async function findConnectionByDomain(sql: Sql, domain: string): Promise<Connection | undefined> {
  const [connection] = await sql.query<Connection>(
    `select p.id, p.disabled from auth.sso_providers p join auth.sso_domains d on d.sso_provider_id = p.id
     where d.domain = $1`,
    [domain],
  );
  return connection;
}

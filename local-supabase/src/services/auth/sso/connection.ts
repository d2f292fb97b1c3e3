import type { Database, Sql } from '../../../database/database.ts';
import type { SsoConnection } from '../settings.ts';

/** A company's identity provider, as stored in the database. */
export interface Connection {
  readonly id: string;
  readonly disabled: boolean | null;
  /** Null for a provider that exists in the settings only. */
  readonly entity_id: string | null;
}

const connections = `select p.id, p.disabled, s.entity_id from auth.sso_providers p
  left join auth.saml_providers s on s.sso_provider_id = p.id`;

/** Writes the configured connections to the tables of single sign-on. Idempotent. */
export async function saveConnections(
  database: Database,
  nowMs: number,
  configured: readonly SsoConnection[],
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  for (const { id, domains } of configured)
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
  const [connection] = await sql.query<Connection>(`${connections} where p.id = $1`, [id]);
  return connection;
}

export async function findConnectionByDomain(sql: Sql, domain: string): Promise<Connection | undefined> {
  const [connection] = await sql.query<Connection>(
    `${connections} join auth.sso_domains d on d.sso_provider_id = p.id where d.domain = $1`,
    [domain],
  );
  return connection;
}

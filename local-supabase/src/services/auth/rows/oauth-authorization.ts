import { createBase32Text } from '../../../platform/random.ts';
import type { Sql } from '../../../database/database.ts';
import { insertRow, updateRow, type Values } from './rows.ts';

/** A row of auth.oauth_authorizations: the request of an application, until its code is exchanged. */
export interface OAuthAuthorization {
  readonly id: string;
  /** The id in the URL of the site's consent page. */
  readonly authorization_id: string;
  readonly client_id: string;
  /** Null until a user opens the page. */
  readonly user_id: string | null;
  readonly redirect_uri: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly state: string | null;
  readonly resource: string | null;
  readonly code_challenge: string | null;
  readonly code_challenge_method: 's256' | 'plain' | null;
  readonly nonce: string | null;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired';
  readonly authorization_code: string | null;
  readonly expires_at: Date;
}

const table = 'auth.oauth_authorizations';

export const scopesOf = (scope: string): readonly string[] => scope.split(' ').filter((name) => name !== '');

/** Stores a pending request that expires after `expirySeconds`. */
export async function createAuthorization(
  sql: Sql,
  now: Date,
  expirySeconds: number,
  values: Values,
): Promise<OAuthAuthorization> {
  return insertRow<OAuthAuthorization>(sql, table, {
    id: crypto.randomUUID(),
    authorization_id: createBase32Text(32),
    created_at: now,
    expires_at: new Date(now.getTime() + expirySeconds * 1000),
    ...values,
  });
}

export async function lockAuthorization(sql: Sql, id: string): Promise<OAuthAuthorization | undefined> {
  const [authorization] = await sql.query<OAuthAuthorization>(
    `select * from ${table} where authorization_id = $1 for update`,
    [id],
  );
  return authorization;
}

/** Finds and locks the approved request by its code. */
export async function lockAuthorizationByCode(
  sql: Sql,
  code: string,
): Promise<OAuthAuthorization | undefined> {
  const [authorization] = await sql.query<OAuthAuthorization>(
    `select * from ${table} where authorization_code = $1 and status = 'approved' for update`,
    [code],
  );
  return authorization;
}

export const isAuthorizationExpired = ({ expires_at: end }: OAuthAuthorization, nowMs: number): boolean =>
  nowMs > end.getTime();

export async function updateAuthorization(
  sql: Sql,
  { id }: OAuthAuthorization,
  changes: Values,
): Promise<OAuthAuthorization> {
  return updateRow<OAuthAuthorization>(sql, table, id, changes);
}

/** Approves a request and issues its code. */
export async function approveAuthorization(
  sql: Sql,
  now: Date,
  authorization: OAuthAuthorization,
): Promise<OAuthAuthorization> {
  return updateAuthorization(sql, authorization, {
    status: 'approved',
    approved_at: now,
    authorization_code: crypto.randomUUID(),
  });
}

/** Deletes a request, so that its code cannot be used again. */
export async function deleteAuthorization(sql: Sql, { id }: OAuthAuthorization): Promise<void> {
  await sql.query(`delete from ${table} where id = $1`, [id]);
}

import type { Sql } from '../../../database/database.ts';
import { scopesOf } from './oauth-authorization.ts';

export interface OAuthConsent {
  readonly id: string;
  readonly client_id: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly granted_at: Date;
}

export async function findActiveConsent(
  sql: Sql,
  userId: string,
  clientId: string,
): Promise<OAuthConsent | undefined> {
  const [consent] = await sql.query<OAuthConsent>(
    'select * from auth.oauth_consents where user_id = $1 and client_id = $2 and revoked_at is null',
    [userId, clientId],
  );
  return consent;
}

/** True when the user has granted every scope of a request. */
export function coversScope(consent: OAuthConsent | undefined, scope: string): boolean {
  const granted = new Set(scopesOf(consent?.scopes ?? ''));
  return consent !== undefined && scopesOf(scope).every((name) => granted.has(name));
}

/** Stores a consent; replaces an earlier or revoked one. */
export async function saveConsent(
  sql: Sql,
  now: Date,
  userId: string,
  clientId: string,
  scope: string,
): Promise<void> {
  await sql.query(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at) values ($1, $2, $3, $4, $5)
     on conflict on constraint oauth_consents_user_client_unique
     do update set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`,
    [crypto.randomUUID(), userId, clientId, scopesOf(scope).join(' '), now.toISOString()],
  );
}

/** Revokes a consent and ends the client's sessions of the user. */
export async function revokeConsent(
  sql: Sql,
  now: Date,
  userId: string,
  consent: OAuthConsent,
): Promise<void> {
  await sql.query('update auth.oauth_consents set revoked_at = $2 where id = $1', [
    consent.id,
    now.toISOString(),
  ]);
  await sql.query('delete from auth.sessions where user_id = $1 and oauth_client_id = $2', [
    userId,
    consent.client_id,
  ]);
}

import type { Sql } from '../../../database/database.ts';
import { insertRow, updateRow } from './rows.ts';

/** A row of auth.identities. */
export interface Identity {
  readonly id: string;
  readonly provider_id: string;
  readonly user_id: string;
  readonly identity_data: Record<string, unknown>;
  readonly provider: string;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date | null;
  readonly updated_at: Date | null;
  readonly email: string | null;
}

/** The claims of a provider about a person; `sub` is the person's id at the provider. */
export interface IdentityData {
  readonly sub: string;
  readonly email_verified: boolean;
  readonly phone_verified: boolean;
  readonly email?: string;
  readonly phone?: string;
  readonly [claim: string]: unknown;
}

export const ownIdentityData = (userId: string, known: Partial<IdentityData>): IdentityData => ({
  email_verified: false,
  phone_verified: false,
  ...known,
  sub: userId,
});

/** Encodes an identity; on the wire `id` is the provider's id and `identity_id` the row's. */
export function encodeIdentity(identity: Identity): Record<string, unknown> {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    // GoTrue omits an empty map, which a softly deleted user has.
    ...(Object.keys(identity.identity_data).length > 0 && { identity_data: identity.identity_data }),
    provider: identity.provider,
    last_sign_in_at: identity.last_sign_in_at,
    created_at: identity.created_at,
    updated_at: identity.updated_at,
    ...(identity.email && { email: identity.email }),
  };
}

export async function createIdentity(
  sql: Sql,
  now: Date,
  userId: string,
  provider: string,
  data: IdentityData,
): Promise<Identity> {
  const identityData = data.email === undefined ? data : { ...data, email: data.email.toLowerCase() };
  return insertRow<Identity>(sql, 'auth.identities', {
    id: crypto.randomUUID(),
    provider_id: data.sub,
    user_id: userId,
    identity_data: identityData,
    provider,
    last_sign_in_at: now,
    created_at: now,
    updated_at: now,
  });
}

export async function findIdentity(
  sql: Sql,
  providerId: string,
  provider: string,
): Promise<Identity | undefined> {
  const [identity] = await sql.query<Identity>(
    'select * from auth.identities where provider_id = $1 and provider = $2',
    [providerId, provider],
  );
  return identity;
}

export async function listIdentities(sql: Sql, userId: string): Promise<Identity[]> {
  return sql.query<Identity>(
    'select * from auth.identities where user_id = $1 order by created_at, provider, id',
    [userId],
  );
}

export async function mergeIdentityData(
  sql: Sql,
  identity: Identity,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await updateRow(sql, 'auth.identities', identity.id, {
    identity_data: { ...identity.identity_data, ...changes },
  });
}

export async function deleteIdentity(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from auth.identities where id = $1', [id]);
}

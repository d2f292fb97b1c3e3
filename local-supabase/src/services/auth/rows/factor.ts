import type { Sql } from '../../../database/database.ts';

/** A row of auth.mfa_factors. */
export interface Factor {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly status: 'unverified' | 'verified';
  readonly friendly_name: string | null;
  readonly secret: string | null;
  readonly factor_type: 'totp' | 'phone' | 'webauthn' | 'recovery_code';
  readonly phone: string | null;
  readonly last_challenged_at: Date | null;
  readonly web_authn_credential: WebAuthnCredential | null;
  readonly web_authn_aaguid: string | null;
  readonly last_webauthn_challenge_data: Readonly<Record<string, unknown>> | null;
}

/** The key of a WebAuthn factor, in the form of go-webauthn. Bytes are base64. */
export interface WebAuthnCredential {
  readonly id: string;
  /** A COSE key (RFC 9052). */
  readonly publicKey: string;
  readonly attestationType: string;
  readonly transport: readonly string[];
  readonly flags: { readonly backupEligible: boolean; readonly backupState: boolean };
  readonly authenticator: { readonly AAGUID: string; readonly signCount: number };
}

/** Encodes a factor for the `factors` list of a user, without its secret. */
export function encodeFactor(factor: Factor): Record<string, unknown> {
  return {
    id: factor.id,
    created_at: factor.created_at,
    updated_at: factor.updated_at,
    status: factor.status,
    ...(factor.friendly_name && { friendly_name: factor.friendly_name }),
    factor_type: factor.factor_type,
    phone: factor.phone ?? '',
    last_challenged_at: factor.last_challenged_at,
    ...(factor.web_authn_aaguid !== null && { web_authn_aaguid: factor.web_authn_aaguid }),
    ...(factor.last_webauthn_challenge_data !== null && {
      last_webauthn_challenge_data: factor.last_webauthn_challenge_data,
    }),
  };
}

/** The authentication method (`amr`) that a factor of this type adds to a session. */
export const methodOfFactor = (type: Factor['factor_type']): string =>
  type === 'totp' ? 'totp' : `mfa/${type}`;

export async function listFactors(sql: Sql, userId: string): Promise<Factor[]> {
  return sql.query<Factor>(
    'select * from auth.mfa_factors where user_id = $1 order by created_at, factor_type::text, id',
    [userId],
  );
}

export async function findFactor(sql: Sql, userId: string, factorId: string): Promise<Factor | undefined> {
  const [factor] = await sql.query<Factor>('select * from auth.mfa_factors where user_id = $1 and id = $2', [
    userId,
    factorId,
  ]);
  return factor;
}

export async function deleteFactor(sql: Sql, factorId: string): Promise<void> {
  await sql.query('delete from auth.mfa_factors where id = $1', [factorId]);
}

/** Returns sessions that used the factor to aal1. */
export async function lowerSessionsOfFactor(sql: Sql, factor: Factor): Promise<void> {
  await sql.query(
    `delete from auth.mfa_amr_claims where authentication_method = $2
       and session_id in (select id from auth.sessions where factor_id = $1)`,
    [factor.id, methodOfFactor(factor.factor_type)],
  );
  await sql.query(`update auth.sessions set aal = 'aal1', factor_id = null where factor_id = $1`, [
    factor.id,
  ]);
}

import type { Sql } from '../../../database/database.ts';
import { isUniqueViolation } from '../../../database/database-error.ts';
import { nowDate, type AuthContext } from '../context.ts';
import { internal, unprocessable } from '../http/errors.ts';
import { insertRow, isUuid, updateRow } from '../rows/rows.ts';
import { nameOfAuthenticator } from './authenticator-names.ts';
import type { RegisteredKey, VerifiedRegistration } from '../webauthn/verification.ts';

/** A row of auth.webauthn_credentials. */
export interface Credential extends RegisteredKey {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: Uint8Array<ArrayBuffer>;
  readonly friendly_name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const table = 'auth.webauthn_credentials';

/** Encodes a passkey for responses, without its public key. */
export function encodePasskey(credential: Credential): Record<string, unknown> {
  return {
    id: credential.id,
    ...(credential.friendly_name !== '' && { friendly_name: credential.friendly_name }),
    created_at: credential.created_at,
    ...(credential.last_used_at !== null && { last_used_at: credential.last_used_at }),
  };
}

export async function listCredentials(sql: Sql, userId: string): Promise<Credential[]> {
  return sql.query<Credential>(`select * from ${table} where user_id = $1 order by created_at, id`, [userId]);
}

export async function findCredential(sql: Sql, userId: string, id: string): Promise<Credential | undefined> {
  if (!isUuid(id)) return undefined;
  const [credential] = await sql.query<Credential>(`select * from ${table} where id = $1 and user_id = $2`, [
    id,
    userId,
  ]);
  return credential;
}

/** Throws 422 too_many_passkeys when the user has `maximum` passkeys or more. */
export function checkPasskeyCount(credentials: readonly Credential[], maximum: number): void {
  if (credentials.length >= maximum)
    throw unprocessable('too_many_passkeys', 'Maximum number of passkeys reached');
}

/** Stores a verified passkey under its provider's name. Throws 422 webauthn_credential_exists. */
export async function insertCredential(
  context: AuthContext,
  sql: Sql,
  userId: string,
  verified: VerifiedRegistration,
): Promise<Credential> {
  const now = nowDate(context);
  try {
    return await insertRow<Credential>(sql, table, {
      id: crypto.randomUUID(),
      user_id: userId,
      credential_id: verified.credentialId,
      public_key: verified.publicKey,
      attestation_type: verified.attestationFormat,
      aaguid: verified.aaguid,
      sign_count: verified.signCount,
      transports: verified.transports,
      backup_eligible: verified.isBackupEligible,
      backed_up: verified.isBackedUp,
      friendly_name: nameOfAuthenticator(verified.aaguid),
      created_at: now,
      updated_at: now,
    });
  } catch (error) {
    if (isUniqueViolation(error) && context.settings.realisticFaults)
      throw internal('Database error creating passkey', error);
    if (isUniqueViolation(error))
      throw unprocessable('webauthn_credential_exists', 'This credential is already registered');
    throw error;
  }
}

export async function recordUse(sql: Sql, now: Date, id: string, signCount: number): Promise<void> {
  await updateRow(sql, table, id, { sign_count: signCount, last_used_at: now, updated_at: now });
}

export async function renameCredential(
  sql: Sql,
  now: Date,
  id: string,
  friendlyName: string,
): Promise<Credential> {
  return updateRow<Credential>(sql, table, id, { friendly_name: friendlyName, updated_at: now });
}

export async function deleteCredential(sql: Sql, id: string): Promise<void> {
  await sql.query(`delete from ${table} where id = $1`, [id]);
}

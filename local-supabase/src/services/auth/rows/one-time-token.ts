import { sha224 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { encodeUtf8 } from '../../../platform/bytes.ts';
import type { Sql } from '../../../database/database.ts';
import { insertRow } from './rows.ts';
import type { User } from './user.ts';
import { findUserById } from './users.ts';

export type OneTimeTokenType =
  | 'confirmation_token'
  | 'reauthentication_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token';

/** The prefix of tokens in mails of PKCE flows. */
export const pkcePrefix = 'pkce_';

/** SHA-224 of address and code, in hexadecimal: stored instead of the code, and the token of the link. */
export function hashCode(address: string, code: string): string {
  return bytesToHex(sha224(encodeUtf8(`${address}${code}`)));
}

/** Stores `tokenHash` as the user's only token of its type. */
export async function storeOneTimeToken(
  sql: Sql,
  now: Date,
  userId: string,
  relatesTo: string,
  tokenHash: string,
  type: OneTimeTokenType,
): Promise<void> {
  await clearOneTimeTokens(sql, userId, type);
  await insertRow(sql, 'auth.one_time_tokens', {
    id: crypto.randomUUID(),
    user_id: userId,
    token_type: type,
    token_hash: tokenHash,
    relates_to: relatesTo.toLowerCase(),
    created_at: now,
    updated_at: now,
  });
}

/** Deletes a user's tokens of one type, or of all types. */
export async function clearOneTimeTokens(sql: Sql, userId: string, type?: OneTimeTokenType): Promise<void> {
  await sql.query(
    'delete from auth.one_time_tokens where user_id = $1 and ($2::text is null or token_type::text = $2)',
    [userId, type ?? null],
  );
}

/** The user of the stored token with this hash and one of `types`. */
export async function findUserByOneTimeToken(
  sql: Sql,
  tokenHash: string,
  types: readonly OneTimeTokenType[],
): Promise<User | undefined> {
  for (const type of types) {
    const [row] = await sql.query<{ user_id: string }>(
      'select user_id from auth.one_time_tokens where token_type::text = $1 and token_hash = $2',
      [type, tokenHash],
    );
    if (row !== undefined) return findUserById(sql, row.user_id);
  }
  return undefined;
}

export function isCodeExpired(sentAt: Date | null, expirySeconds: number, nowMs: number): boolean {
  return sentAt === null || nowMs > sentAt.getTime() + expirySeconds * 1000;
}

/** True when `tokenHash` equals `stored`, with or without the prefix of PKCE flows. */
export function isSameToken(tokenHash: string, stored: string | null): boolean {
  return stored !== null && stored !== '' && (stored === tokenHash || stored === pkcePrefix + tokenHash);
}

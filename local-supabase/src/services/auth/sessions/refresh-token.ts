import { createBase32Text } from '../../../platform/random.ts';
import type { Sql } from '../../../database/database.ts';
import { insertRow, nilUuid, updateRow } from '../rows/rows.ts';

/** A row of auth.refresh_tokens: a token of version 1. */
export interface RefreshToken {
  readonly id: number;
  readonly token: string;
  readonly user_id: string;
  readonly revoked: boolean;
  readonly parent: string | null;
  readonly session_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const tokenLength = 12;

export async function createRefreshToken(
  sql: Sql,
  now: Date,
  owner: { readonly userId: string; readonly sessionId: string },
  parent = '',
): Promise<RefreshToken> {
  return insertRow<RefreshToken>(sql, 'auth.refresh_tokens', {
    instance_id: nilUuid,
    token: createBase32Text(tokenLength),
    user_id: owner.userId,
    session_id: owner.sessionId,
    parent: parent || null,
    revoked: false,
    created_at: now,
    updated_at: now,
  });
}

export async function findRefreshToken(sql: Sql, token: string): Promise<RefreshToken | undefined> {
  const [row] = await sql.query<RefreshToken>('select * from auth.refresh_tokens where token = $1', [token]);
  return row;
}

export async function findActiveRefreshToken(sql: Sql, sessionId: string): Promise<RefreshToken | undefined> {
  const [row] = await sql.query<RefreshToken>(
    'select * from auth.refresh_tokens where session_id = $1 and revoked is false order by id desc limit 1',
    [sessionId],
  );
  return row;
}

export async function revokeRefreshToken(sql: Sql, now: Date, token: RefreshToken): Promise<void> {
  await updateRow(sql, 'auth.refresh_tokens', token.id, { revoked: true, updated_at: now });
}

/** Revokes `token` and issues its successor. */
export async function rotateRefreshToken(sql: Sql, now: Date, token: RefreshToken): Promise<RefreshToken> {
  await revokeRefreshToken(sql, now, token);
  const owner = { userId: token.user_id, sessionId: token.session_id ?? '' };
  return createRefreshToken(sql, now, owner, token.token);
}

/** Revokes every token of the session after a reuse (RFC 9700 section 4.14.2). */
export async function revokeTokenFamily(sql: Sql, now: Date, sessionId: string): Promise<void> {
  await sql.query(
    'update auth.refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 and revoked = false',
    [sessionId, now.toISOString()],
  );
}

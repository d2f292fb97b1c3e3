import { createSecret } from '../../../platform/random.ts';
import type { Call } from '../http/call.ts';
import type { Sql } from '../../../database/database.ts';
import { insertRow, updateRow, type Values } from './rows.ts';
import type { AuthSettings } from '../settings.ts';
import { hasVerifiedFactor, type User } from './user.ts';

export type Level = 'aal1' | 'aal2' | 'aal3';

/** A row of auth.sessions. */
export interface Session {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly factor_id: string | null;
  readonly aal: Level | null;
  readonly not_after: Date | null;
  readonly refreshed_at: Date | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly refresh_token_hmac_key: string | null;
  readonly refresh_token_counter: number | null;
  /** The application that the session belongs to; null for the project's own sign-ins. */
  readonly oauth_client_id: string | null;
  /** The scopes of that application, separated by spaces. */
  readonly scopes: string | null;
}

/** One way in which a session's user has signed in. */
export interface MethodClaim {
  readonly method: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly provider?: string;
}

/** The access that a user granted to an application (RFC 6749 section 1.3.1). */
export interface OAuthGrant {
  readonly clientId: string;
  /** Separated by spaces. */
  readonly scope: string;
}

export interface NewSession {
  readonly userId: string;
  readonly call: Call;
  readonly hasCounter: boolean;
  readonly grant?: OAuthGrant | undefined;
}

export async function createSession(sql: Sql, now: Date, wanted: NewSession): Promise<Session> {
  return insertRow<Session>(sql, 'auth.sessions', {
    id: crypto.randomUUID(),
    user_id: wanted.userId,
    aal: 'aal1',
    oauth_client_id: wanted.grant?.clientId ?? null,
    scopes: wanted.grant?.scope ?? null,
    user_agent: wanted.call.userAgent || null,
    ip: wanted.call.ip,
    ...(wanted.hasCounter && newCounter()),
    created_at: now,
    updated_at: now,
  });
}

/** The initial key and value of a session whose refresh tokens are counters. */
export const newCounter = (): Values => ({
  refresh_token_hmac_key: createSecret(32),
  refresh_token_counter: 0,
});

export async function findSession(sql: Sql, id: string): Promise<Session | undefined> {
  const [session] = await sql.query<Session>('select * from auth.sessions where id = $1', [id]);
  return session;
}

export async function listSessions(sql: Sql, userId: string): Promise<Session[]> {
  return sql.query<Session>('select * from auth.sessions where user_id = $1', [userId]);
}

export async function updateSession(
  sql: Sql,
  now: Date,
  session: Session,
  changes: Values,
): Promise<Session> {
  return updateRow<Session>(sql, 'auth.sessions', session.id, { ...changes, updated_at: now });
}

/** Ends one session, all of a user, or all of a user but one. */
export async function deleteSessions(
  sql: Sql,
  which: { readonly id: string } | { readonly userId: string; readonly exceptId?: string | undefined },
): Promise<void> {
  if ('id' in which) await sql.query('delete from auth.sessions where id = $1', [which.id]);
  else
    await sql.query('delete from auth.sessions where user_id = $1 and id is distinct from $2', [
      which.userId,
      which.exceptId ?? null,
    ]);
}

/** Records that the session's user has just signed in by `method`. */
export async function addMethod(sql: Sql, now: Date, sessionId: string, method: string): Promise<void> {
  await sql.query(
    `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     values ($1, $2, $3, $3, $4)
     on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = $3`,
    [crypto.randomUUID(), sessionId, now.toISOString(), method],
  );
}

const raisingMethods = new Set(['totp', 'mfa/phone', 'mfa/webauthn', 'mfa/recovery_code']);

/** The level and the methods of a session, latest first. */
export async function readMethods(
  sql: Sql,
  session: Session,
  user: User,
): Promise<{ readonly aal: Level; readonly amr: readonly MethodClaim[] }> {
  const rows = await sql.query<{ authentication_method: string; updated_at: Date }>(
    `select authentication_method, updated_at from auth.mfa_amr_claims where session_id = $1
     order by updated_at desc, authentication_method in ('totp', 'mfa/phone', 'mfa/webauthn') desc`,
    [session.id],
  );
  const connection = user.identities.find(({ provider }) => provider.startsWith('sso:'))?.provider.slice(4);
  const amr = rows.map(({ authentication_method: method, updated_at: at }): MethodClaim => {
    const timestamp = Math.floor(at.getTime() / 1000);
    const hasProvider = method === 'sso/saml' && connection !== undefined;
    return hasProvider ? { method, timestamp, provider: connection } : { method, timestamp };
  });
  return { aal: amr.some(({ method }) => raisingMethods.has(method)) ? 'aal2' : 'aal1', amr };
}

/** True when the session began with a code or a link. */
export const isRecovery = (amr: readonly MethodClaim[]): boolean =>
  amr.some(({ method }) => method === 'otp' || method === 'magiclink' || method === 'recovery');

/** When the session was last used; `tokenUpdatedAt` is the fallback for sessions that were never refreshed. */
export function lastRefreshedAtMs(session: Session, tokenUpdatedAt: Date | null): number {
  const createdAtMs = session.created_at.getTime();
  return session.refreshed_at?.getTime() ?? Math.max(createdAtMs, tokenUpdatedAt?.getTime() ?? createdAtMs);
}

export type Validity = 'valid' | 'expired' | 'inactive' | 'low_aal';

export function checkSession(
  session: Session,
  user: User,
  settings: AuthSettings,
  nowMs: number,
  tokenUpdatedAt: Date | null,
): Validity {
  const createdAtMs = session.created_at.getTime();
  const isPast = (fromMs: number, seconds: number | null): boolean =>
    seconds !== null && seconds !== 0 && nowMs > fromMs + seconds * 1000;
  if (session.not_after !== null && nowMs > session.not_after.getTime()) return 'expired';
  if (isPast(createdAtMs, settings.sessionTimeboxSeconds)) return 'expired';
  if (isPast(lastRefreshedAtMs(session, tokenUpdatedAt), settings.sessionInactivitySeconds))
    return 'inactive';
  const isLow = (session.aal ?? 'aal1') === 'aal1' && hasVerifiedFactor(user);
  if (isLow && isPast(createdAtMs, settings.sessionLowAalSeconds)) return 'low_aal';
  return 'valid';
}

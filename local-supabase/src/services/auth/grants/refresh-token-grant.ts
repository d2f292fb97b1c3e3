import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { type CounterToken, isSignedFor, parseCounterToken } from '../sessions/counter-token.ts';
import type { Sql } from '../../../database/database.ts';
import { badRequest, invalid, OAuthError } from '../http/errors.ts';
import { findRefreshToken, type RefreshToken } from '../sessions/refresh-token.ts';
import { renewByCounter, renewByToken } from '../sessions/renewal.ts';
import {
  checkSession,
  findSession,
  lastRefreshedAtMs,
  listSessions,
  type Session,
  updateSession,
} from '../rows/session.ts';
import { createSessionTokens, type SessionTokens } from '../sessions/session-tokens.ts';
import { isBanned, type User } from '../rows/user.ts';
import { loadUser } from '../rows/users.ts';

interface Presented {
  readonly user: User;
  readonly session: Session;
  readonly token: RefreshToken | CounterToken;
}

const notFound = (): Error =>
  badRequest('refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
const expired = (detail = ''): Error =>
  badRequest('session_expired', `Invalid Refresh Token: Session Expired${detail}`);

function checkForm(token: string): void {
  const isValid = token.length === 12 ? /^[a-z0-9]{12}$/.test(token) : parseCounterToken(token) !== null;
  if (!isValid) throw invalid('Refresh token is not valid');
}

async function findPresented(sql: Sql, text: string): Promise<Presented> {
  const counterToken = text.length === 12 ? null : parseCounterToken(text);
  if (counterToken !== null) {
    const session = await findSession(sql, counterToken.sessionId);
    if (session === undefined || !isSignedFor(counterToken, session)) throw notFound();
    return { user: await loadUser(sql, session.user_id), session, token: counterToken };
  }
  const token = await findRefreshToken(sql, text);
  if (token === undefined) throw notFound();
  const session = token.session_id === null ? undefined : await findSession(sql, token.session_id);
  if (session === undefined)
    throw badRequest('session_not_found', 'Invalid Refresh Token: No Valid Session Found');
  return { user: await loadUser(sql, session.user_id), session, token };
}

async function checkIsLatest(
  context: AuthContext,
  sql: Sql,
  { user, session, token }: Presented,
): Promise<void> {
  const usedAt = 'revoked' in token ? token.updated_at : null;
  const ownMs = lastRefreshedAtMs(session, usedAt);
  for (const other of await listSessions(sql, user.id)) {
    if (other.id === session.id) continue;
    if (checkSession(other, user, context.settings, context.now(), null) !== 'valid') continue;
    if (lastRefreshedAtMs(other, null) > ownMs) throw expired(' (Revoked by Newer Login)');
  }
}

/** Checks that the session belongs to this application, or to none if `clientId` is null. Throws OAuth invalid_client. */
function checkClient({ oauth_client_id: owner }: Session, clientId: string | null): void {
  if (owner === clientId) return;
  if (owner === null)
    throw new OAuthError('invalid_client', 'Client authentication not allowed for non-OAuth session');
  if (clientId === null)
    throw new OAuthError('invalid_client', 'Client authentication required for OAuth session');
  throw new OAuthError('invalid_client', "Client does not match the session's OAuth client");
}

async function checkMayRefresh(
  context: AuthContext,
  sql: Sql,
  presented: Presented,
  clientId: string | null,
): Promise<void> {
  const { user, session, token } = presented;
  if (isBanned(user, context.now())) throw badRequest('user_banned', 'Invalid Refresh Token: User Banned');
  const usedAt = 'revoked' in token ? token.updated_at : null;
  switch (checkSession(session, user, context.settings, context.now(), usedAt)) {
    case 'expired':
      throw expired();
    case 'inactive':
      throw expired(' (Inactivity)');
    case 'low_aal':
      throw expired(' (Low AAL: User Needs MFA Verification)');
    case 'valid':
      checkClient(session, clientId);
      if (context.settings.sessionSinglePerUser) await checkIsLatest(context, sql, presented);
  }
}

/**
 * Refreshes the session of a refresh token of version 1 or 2.
 *
 * @param clientId the authenticated application, or null for the project itself.
 */
export async function refreshSession(
  context: AuthContext,
  call: Call,
  text: string,
  clientId: string | null,
): Promise<SessionTokens> {
  return inTransaction(context, async ({ sql }) => {
    const presented = await findPresented(sql, text);
    const { user, session, token } = presented;
    call.responseHeaders.set('sb-auth-user-id', user.id);
    call.responseHeaders.set('sb-auth-session-id', session.id);
    await checkMayRefresh(context, sql, presented, clientId);
    const refreshToken = await ('revoked' in token
      ? renewByToken(context, call, sql, user, session, token)
      : renewByCounter(context, call, sql, user, session, token));
    const now = nowDate(context);
    const refreshed = await updateSession(sql, now, session, {
      refreshed_at: now,
      user_agent: call.userAgent || null,
      ip: call.ip,
    });
    if ('revoked' in token)
      call.responseHeaders.set('sb-auth-refresh-token-prefix', refreshToken.slice(0, 5));
    return createSessionTokens(context, call, sql, user, refreshed, {
      refreshToken,
      method: 'token_refresh',
    });
  });
}

/** POST /token?grant_type=refresh_token: `{refresh_token}`. Throws 400 validation_failed for a malformed token. */
export async function refreshTokenGrant(context: AuthContext, call: Call): Promise<Response> {
  const text = readText(await call.json(), 'refresh_token');
  checkForm(text);
  return sendJson(call, await refreshSession(context, call, text, null));
}

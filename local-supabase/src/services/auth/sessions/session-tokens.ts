import type { Call } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { nowDate } from '../context.ts';
import { customizeClaims } from '../hooks/access-token-claims.ts';
import type { Sql } from '../../../database/database.ts';
import { issueCounterToken } from './counter-token.ts';
import { createRefreshToken } from './refresh-token.ts';
import { addMethod, createSession, type OAuthGrant, readMethods, type Session } from '../rows/session.ts';
import { encodeUser, hasVerifiedFactor, type User } from '../rows/user.ts';
import { updateUser } from '../rows/users.ts';

export interface SessionTokens {
  readonly access_token: string;
  readonly token_type: 'bearer';
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds since the epoch. */
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: Record<string, unknown>;
}

const secondsOf = (ms: number): number => Math.floor(ms / 1000);

export interface Issue {
  readonly refreshToken: string;
  /** How the user signed in, or `token_refresh`. */
  readonly method: string;
}

/** Signs an access token for the session's current level and returns it with the refresh token. */
export async function createSessionTokens(
  context: AuthContext,
  call: Call,
  sql: Sql,
  user: User,
  session: Session,
  { refreshToken, method }: Issue,
): Promise<SessionTokens> {
  const { settings } = context;
  const { aal, amr } = await readMethods(sql, session, user);
  const issuedAt = secondsOf(context.now());
  const isLow = aal === 'aal1' && hasVerifiedFactor(user) && Boolean(settings.sessionLowAalSeconds);
  const lowestEnd = secondsOf(session.created_at.getTime()) + (settings.sessionLowAalSeconds ?? 0);
  const longestEnd = issuedAt + settings.jwtExpirySeconds;
  const expiresAt = isLow ? Math.min(lowestEnd, longestEnd) : longestEnd;
  const claims = {
    iss: call.authUrl,
    sub: user.id,
    aud: user.aud,
    exp: expiresAt,
    iat: issuedAt,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role ?? '',
    aal,
    amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
    ...(session.oauth_client_id !== null && { client_id: session.oauth_client_id }),
    ...(session.scopes && { scope: session.scopes }),
  };
  const accessToken = await context.keys.sign(await customizeClaims(context, call, sql, claims, method));
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: expiresAt - issuedAt,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: encodeUser(user),
  };
}

/** Signs `user` in: creates a session with its first method and tokens; with `grant` the session belongs to an application. */
export async function signIn(
  context: AuthContext,
  call: Call,
  sql: Sql,
  user: User,
  method: string,
  grant?: OAuthGrant,
): Promise<SessionTokens> {
  const now = nowDate(context);
  const hasCounter = context.settings.refreshTokenVersion === 2;
  const session = await createSession(sql, now, { userId: user.id, call, hasCounter, grant });
  const refreshToken = hasCounter
    ? issueCounterToken(call, session)
    : (await createRefreshToken(sql, now, { userId: user.id, sessionId: session.id })).token;
  await addMethod(sql, now, session.id, method);
  const signedIn = await updateUser(sql, now, user, { last_sign_in_at: now });
  call.responseHeaders.set('sb-auth-user-id', user.id);
  call.responseHeaders.set('sb-auth-session-id', session.id);
  if (!hasCounter) call.responseHeaders.set('sb-auth-refresh-token-prefix', refreshToken.slice(0, 5));
  return createSessionTokens(context, call, sql, signedIn, session, { refreshToken, method });
}

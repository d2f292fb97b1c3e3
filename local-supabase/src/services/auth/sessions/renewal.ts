import type { Call } from '../http/call.ts';
import { nowDate, type AuthContext } from '../context.ts';
import { type CounterToken, issueCounterToken } from './counter-token.ts';
import type { Sql } from '../../../database/database.ts';
import { badRequest, CommitThenThrow, invalid } from '../http/errors.ts';
import {
  findActiveRefreshToken,
  type RefreshToken,
  revokeRefreshToken,
  revokeTokenFamily,
  rotateRefreshToken,
} from './refresh-token.ts';
import { recordAudit } from '../rows/audit.ts';
import {
  deleteSessions,
  lastRefreshedAtMs,
  newCounter,
  type Session,
  updateSession,
} from '../rows/session.ts';
import type { User } from '../rows/user.ts';

const alreadyUsed = (): CommitThenThrow =>
  new CommitThenThrow(badRequest('refresh_token_already_used', 'Invalid Refresh Token: Already Used'));

/** Rotates a version 1 token, or returns the active one when the client lost the response with it. */
export async function renewByToken(
  context: AuthContext,
  call: Call,
  sql: Sql,
  user: User,
  session: Session,
  token: RefreshToken,
): Promise<string> {
  const { settings } = context;
  const now = nowDate(context);
  if (token.revoked) {
    const active = await findActiveRefreshToken(sql, session.id);
    if (active !== undefined && active.parent === token.token) {
      await recordAudit(context, sql, user, 'token_refreshed');
      return active.token;
    }
    const reuseUntilMs = token.updated_at.getTime() + settings.refreshTokenReuseIntervalSeconds * 1000;
    if (now.getTime() > reuseUntilMs) {
      if (settings.refreshTokenRotation) await revokeTokenFamily(sql, now, session.id);
      throw alreadyUsed();
    }
  }
  await recordAudit(context, sql, user, 'token_refreshed');
  await recordAudit(context, sql, user, 'token_revoked');
  const successor = await rotateRefreshToken(sql, now, token);
  call.responseHeaders.set('sb-auth-refresh-token-reuse', 'false');
  if (settings.refreshTokenVersion === 1 || !settings.refreshTokenUpgrade) return successor.token;
  await revokeRefreshToken(sql, now, successor);
  const counter = session.refresh_token_counter;
  const next = counter === null ? newCounter() : { refresh_token_counter: counter + 1 };
  return issueCounterToken(call, await updateSession(sql, now, session, next));
}

/** Rotates a version 2 token to the next counter; a reusable older token yields the current counter. */
export async function renewByCounter(
  context: AuthContext,
  call: Call,
  sql: Sql,
  user: User,
  session: Session,
  token: CounterToken,
): Promise<string> {
  const { settings } = context;
  const now = nowDate(context);
  const behind = (session.refresh_token_counter ?? 0) - token.counter;
  if (behind < 0) throw invalid('Invalid Refresh Token: Not Issued By This Server');
  const { responseHeaders } = call;
  if (behind === 0) {
    await recordAudit(context, sql, user, 'token_refreshed');
    responseHeaders.set('sb-auth-refresh-token-reuse', 'false');
    const next = { refresh_token_counter: token.counter + 1 };
    return issueCounterToken(call, await updateSession(sql, now, session, next));
  }
  const sinceMs = Math.abs(now.getTime() - lastRefreshedAtMs(session, null));
  const causes = [
    ...(sinceMs < settings.refreshTokenReuseIntervalSeconds * 1000 ? ['concurrent-refresh'] : []),
    ...(behind === 1 ? ['fail-to-save'] : []),
    ...(settings.refreshTokenAllowReuse ? ['always-allow'] : []),
  ];
  if (causes.length > 0) {
    await recordAudit(context, sql, user, 'token_refreshed');
    responseHeaders.set('sb-auth-refresh-token-reuse-cause', causes.join(','));
    return issueCounterToken(call, session);
  }
  if (settings.refreshTokenRotation) {
    await deleteSessions(sql, { id: session.id });
    responseHeaders.set('sb-auth-refresh-token-rotated', 'true');
  }
  throw alreadyUsed();
}

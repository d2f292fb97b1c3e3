import type { Sql } from '../../../database/database.ts';
import { type AuthContext, inTransaction, nowDate } from '../context.ts';
import { type Call, type JsonObject, parseFirstJson, readText, sendJson, readParam } from '../http/call.ts';
import { type AuthHttpError, CommitThenThrow, invalid, notFound } from '../http/errors.ts';
import { addToQuery, isRedirectAllowed } from '../http/redirect-url.ts';
import {
  approveAuthorization,
  isAuthorizationExpired,
  lockAuthorization,
  type OAuthAuthorization,
  updateAuthorization,
} from '../rows/oauth-authorization.ts';
import { describeOAuthClient, findOAuthClient } from '../rows/oauth-client.ts';
import { coversScope, findActiveConsent, saveConsent } from '../rows/oauth-consent.ts';
import { type Caller, requireCaller } from '../sessions/authentication.ts';
import { redirectUrlWithError } from './authorize.ts';

const noAuthorization = (): AuthHttpError =>
  notFound('oauth_authorization_not_found', 'authorization not found');

/**
 * Returns the signed-in caller; the request's origin must be allowed. Throws as `requireCaller` does; 400
 * validation_failed.
 */
async function requireSiteCaller(context: AuthContext, call: Call): Promise<Caller> {
  const caller = await requireCaller(context, call);
  const origin = readParam(call.request.headers, 'origin');
  if (origin !== '' && !isRedirectAllowed(context, origin)) throw invalid('unauthorized request origin');
  return caller;
}

/** Locks a pending authorization. Throws 404 oauth_authorization_not_found, 400 with `closedMessage`. */
async function lockPending(
  context: AuthContext,
  call: Call,
  sql: Sql,
  closedMessage: string,
): Promise<OAuthAuthorization> {
  const authorization = await lockAuthorization(sql, call.param('authorization_id'));
  if (authorization === undefined) throw noAuthorization();
  const isPending = authorization.status === 'pending';
  if (isAuthorizationExpired(authorization, context.now())) {
    if (isPending) await updateAuthorization(sql, authorization, { status: 'expired' });
    throw new CommitThenThrow(noAuthorization());
  }
  if (!isPending) throw invalid(closedMessage);
  return authorization;
}

const redirectUrlWithCode = ({ redirect_uri, authorization_code, state }: OAuthAuthorization): string =>
  addToQuery(redirect_uri, { code: authorization_code ?? '', ...(state && { state }) });

/** Assigns the authorization to the user, and approves it when an earlier consent covers its scopes. */
async function openAuthorization(
  context: AuthContext,
  call: Call,
  userId: string,
): Promise<OAuthAuthorization> {
  return inTransaction(context, async ({ sql }) => {
    const found = await lockPending(context, call, sql, 'authorization request cannot be processed');
    if (found.user_id !== null && found.user_id !== userId) throw noAuthorization();
    if (found.user_id !== null) return found;
    const opened = await updateAuthorization(sql, found, { user_id: userId });
    const consent = await findActiveConsent(sql, userId, opened.client_id);
    return coversScope(consent, opened.scope) ? approveAuthorization(sql, nowDate(context), opened) : opened;
  });
}

/** GET /oauth/authorizations/:authorization_id: the requested access, or the redirect URL if an earlier consent covers it. */
export async function readAuthorization(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireSiteCaller(context, call);
  const authorization = await openAuthorization(context, call, user.id);
  if (authorization.status === 'approved')
    return sendJson(call, { redirect_url: redirectUrlWithCode(authorization) });
  const client = await findOAuthClient(context.database, authorization.client_id);
  if (client === undefined) throw noAuthorization();
  return sendJson(call, {
    authorization_id: authorization.authorization_id,
    redirect_uri: authorization.redirect_uri,
    client: describeOAuthClient(client),
    user: { id: user.id, ...(user.email && { email: user.email }) },
    scope: authorization.scope,
  });
}

function parseAction(body: JsonObject): 'approve' | 'deny' {
  const action = readText(body, 'action');
  if (action !== 'approve' && action !== 'deny') throw invalid("action must be 'approve' or 'deny'");
  return action;
}

/** POST /oauth/authorizations/:authorization_id/consent: `{action: 'approve' | 'deny'}`; returns the redirect URL. */
export async function decideAuthorization(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireSiteCaller(context, call);
  const action = await parseFirstJson(call, parseAction, 'invalid JSON body');
  const redirectUrl = await inTransaction(context, async ({ sql }) => {
    const found = await lockPending(context, call, sql, 'authorization request is no longer pending');
    if (found.user_id !== user.id) throw noAuthorization();
    const { redirect_uri, client_id, scope, state } = found;
    if (action === 'deny') {
      await updateAuthorization(sql, found, { status: 'denied' });
      return redirectUrlWithError(redirect_uri, 'access_denied', 'User denied the request', state);
    }
    const now = nowDate(context);
    const approved = await approveAuthorization(sql, now, found);
    await saveConsent(sql, now, user.id, client_id, scope);
    return redirectUrlWithCode(approved);
  });
  return sendJson(call, { redirect_url: redirectUrl });
}

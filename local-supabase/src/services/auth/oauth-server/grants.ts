import { requireOAuthServer } from '../admin/oauth-clients.ts';
import { type AuthContext, inTransaction, nowDate } from '../context.ts';
import { type Call, sendJson, readParam } from '../http/call.ts';
import { invalid, notFound } from '../http/errors.ts';
import { recordAudit } from '../rows/audit.ts';
import { scopesOf } from '../rows/oauth-authorization.ts';
import { describeOAuthClient, type OAuthClient } from '../rows/oauth-client.ts';
import { findActiveConsent, type OAuthConsent, revokeConsent } from '../rows/oauth-consent.ts';
import { isUuid } from '../rows/rows.ts';
import { type Caller, requireCaller } from '../sessions/authentication.ts';

async function requireGrantor(context: AuthContext, call: Call): Promise<Caller> {
  const caller = await requireCaller(context, call);
  requireOAuthServer(context);
  return caller;
}

/** GET /user/oauth/grants: the applications to which the user granted access, the newest grant first. */
export async function listGrants(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireGrantor(context, call);
  const grants = await context.database.query<OAuthClient & Pick<OAuthConsent, 'scopes' | 'granted_at'>>(
    `select client.*, consent.scopes, consent.granted_at
     from auth.oauth_consents consent join auth.oauth_clients client on client.id = consent.client_id
     where consent.user_id = $1 and consent.revoked_at is null and client.deleted_at is null
     order by consent.granted_at desc`,
    [user.id],
  );
  return sendJson(
    call,
    grants.map((grant) => ({
      client: describeOAuthClient(grant),
      scopes: scopesOf(grant.scopes),
      granted_at: grant.granted_at,
    })),
  );
}

/** DELETE /user/oauth/grants?client_id=…: 204; ends the application's sessions. Throws 404 oauth_consent_not_found. */
export async function revokeGrant(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireGrantor(context, call);
  const clientId = readParam(call.url.searchParams, 'client_id');
  if (clientId === '') throw invalid('client_id query parameter is required');
  if (!isUuid(clientId)) throw invalid('invalid client_id format');
  await inTransaction(context, async ({ sql }) => {
    const consent = await findActiveConsent(sql, user.id, clientId);
    if (consent === undefined)
      throw notFound('oauth_consent_not_found', 'No active grant found for this client');
    await revokeConsent(sql, nowDate(context), user.id, consent);
    const traits = { oauth_client_id: consent.client_id, action: 'revoke_oauth_grant' };
    await recordAudit(context, sql, user, 'token_revoked', { traits });
  });
  return new Response(null, { status: 204 });
}

import type { Sql } from '../../../database/database.ts';
import { type AuthContext, inTransaction } from '../context.ts';
import { refreshSession } from '../grants/refresh-token-grant.ts';
import { type Call, sendJson } from '../http/call.ts';
import { OAuthError } from '../http/errors.ts';
import { recordAudit } from '../rows/audit.ts';
import { isCodeVerifier, wrongVerifierMessage } from '../rows/flow-state.ts';
import {
  deleteAuthorization,
  isAuthorizationExpired,
  lockAuthorizationByCode,
  type OAuthAuthorization,
  scopesOf,
} from '../rows/oauth-authorization.ts';
import type { OAuthClient } from '../rows/oauth-client.ts';
import { isBanned, type User } from '../rows/user.ts';
import { findUserById } from '../rows/users.ts';
import { type SessionTokens, signIn } from '../sessions/session-tokens.ts';
import { profileClaims } from './profile.ts';
import { authenticateClient, readTokenParams, type TokenParams } from './token-request.ts';

const method = 'oauth_provider/authorization_code';
const idTokenExpirySeconds = 3600;

const invalidGrant = (description: string): OAuthError => new OAuthError('invalid_grant', description);

/** The response to an application: tokens without the user. */
const encodeTokens = ({ access_token, token_type, expires_in, refresh_token }: SessionTokens) => ({
  access_token,
  token_type,
  expires_in,
  refresh_token,
});

function checkVerifier(authorization: OAuthAuthorization, verifier: string): void {
  const { code_challenge: challenge, code_challenge_method: challengeMethod } = authorization;
  if (!challenge) return;
  const fail = (detail: string): OAuthError => invalidGrant(`PKCE verification failed: ${detail}`);
  if (verifier === '') throw fail('code_verifier is required when PKCE challenge is present');
  if (!isCodeVerifier(challenge, challengeMethod, verifier)) throw fail(wrongVerifierMessage);
}

/** Finds and locks the authorization of a code. Throws OAuth invalid_grant. */
async function requireAuthorization(
  context: AuthContext,
  sql: Sql,
  client: OAuthClient,
  { code, resource, redirectUri, codeVerifier }: TokenParams,
): Promise<OAuthAuthorization> {
  const authorization = await lockAuthorizationByCode(sql, code);
  if (authorization === undefined) throw invalidGrant('Invalid authorization code');
  if (isAuthorizationExpired(authorization, context.now()))
    throw invalidGrant('Authorization code has expired');
  if (authorization.client_id !== client.id)
    throw invalidGrant('Authorization code was not issued for this client');
  if (resource !== '' && resource !== authorization.resource)
    throw invalidGrant('Authorization code resource does not match the resource parameter');
  if (redirectUri !== '' && redirectUri !== authorization.redirect_uri)
    throw invalidGrant('Invalid redirect_uri');
  checkVerifier(authorization, codeVerifier);
  return authorization;
}

async function requireUser(
  context: AuthContext,
  sql: Sql,
  { user_id: id }: OAuthAuthorization,
): Promise<User> {
  if (id === null) throw invalidGrant('Authorization code has no associated user');
  const user = await findUserById(sql, id);
  if (user === undefined) throw invalidGrant('User not found for authorization code');
  if (isBanned(user, context.now())) throw new OAuthError('access_denied', 'User is banned');
  return user;
}

/** Signs an ID token for the client (OpenID Connect Core section 2) with the claims of the granted scopes. */
async function signIdToken(
  context: AuthContext,
  call: Call,
  user: User,
  { client_id: clientId, scope, nonce }: OAuthAuthorization,
): Promise<string> {
  const issuedAt = Math.floor(context.now() / 1000);
  const scopes = new Set(scopesOf(scope));
  const [hasEmail, hasPhone] = [scopes.has('email'), scopes.has('phone')];
  return context.keys.sign({
    iss: call.authUrl,
    sub: user.id,
    aud: clientId,
    exp: issuedAt + idTokenExpirySeconds,
    iat: issuedAt,
    ...(nonce && { nonce }),
    // The exchange of the code counts as the sign-in.
    auth_time: issuedAt,
    ...(hasEmail && user.email && { email: user.email }),
    email_verified: hasEmail && user.email_confirmed_at !== null,
    ...(hasPhone && user.phone && { phone_number: user.phone }),
    phone_number_verified: hasPhone && user.phone_confirmed_at !== null,
    ...(scopes.has('profile') && profileClaims(user)),
    client_id: clientId,
  });
}

async function exchangeCode(
  context: AuthContext,
  call: Call,
  client: OAuthClient,
  params: TokenParams,
): Promise<Response> {
  if (params.code === '')
    throw new OAuthError('invalid_request', 'code is required for authorization_code grant');
  const tokens = await inTransaction(context, async ({ sql }) => {
    const authorization = await requireAuthorization(context, sql, client, params);
    const user = await requireUser(context, sql, authorization);
    const traits = { provider_type: 'oauth_provider_authorization_code', client_id: client.id };
    await recordAudit(context, sql, user, 'login', { traits });
    const grant = { clientId: client.id, scope: authorization.scope };
    const tokens = await signIn(context, call, sql, user, method, grant);
    await deleteAuthorization(sql, authorization);
    const isOpenId = scopesOf(authorization.scope).includes('openid');
    const signedIn = isOpenId ? await findUserById(sql, user.id) : undefined;
    return {
      ...encodeTokens(tokens),
      ...(signedIn && { id_token: await signIdToken(context, call, signedIn, authorization) }),
    };
  });
  return sendJson(call, tokens);
}

async function refresh(
  context: AuthContext,
  call: Call,
  client: OAuthClient,
  { refreshToken }: TokenParams,
): Promise<Response> {
  if (refreshToken === '')
    throw new OAuthError('invalid_request', 'refresh_token is required for refresh_token grant');
  return sendJson(call, encodeTokens(await refreshSession(context, call, refreshToken, client.id)));
}

/** POST /oauth/token: exchanges a code or a refresh token. Throws 400 invalid_credentials; errors of RFC 6749 section 5.2. */
export async function issueClientTokens(context: AuthContext, call: Call): Promise<Response> {
  const client = await authenticateClient(context, call);
  const params = await readTokenParams(call);
  const { grantType } = params;
  if (grantType === '') throw new OAuthError('invalid_request', 'grant_type is required');
  if (client === null) throw new OAuthError('invalid_client', 'Client authentication required');
  if (!client.grant_types.split(',').includes(grantType))
    throw new OAuthError('unsupported_grant_type', `Client is not allowed to use grant type: ${grantType}`);
  const exchange = grantType === 'refresh_token' ? refresh : exchangeCode;
  return exchange(context, call, client, params);
}

import { utf8Length } from '../../../platform/bytes.ts';
import { type AuthContext, nowDate } from '../context.ts';
import { type Call, sendRedirect, readParam } from '../http/call.ts';
import { badRequest, invalid } from '../http/errors.ts';
import { addToQuery } from '../http/redirect-url.ts';
import { createAuthorization, scopesOf } from '../rows/oauth-authorization.ts';
import { findOAuthClient, type OAuthClient, redirectUrisOf } from '../rows/oauth-client.ts';
import { isUuid } from '../rows/rows.ts';

const supportedScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'phone',
  'offline_access',
]);
const usualScope = 'email';

/** Reads a parameter of an authorization request; a missing one is ''. */
type ReadParam = (name: string) => string;

/** An application's redirect URL with an error of RFC 6749 section 4.1.2.1. */
export const redirectUrlWithError = (
  redirectUri: string,
  error: string,
  description: string,
  state: string | null,
): string => addToQuery(redirectUri, { error, error_description: description, ...(state && { state }) });

/** Finds the client and checks the redirect URI. Throws 400 validation_failed, oauth_client_not_found. */
async function requireRedirectTarget(context: AuthContext, read: ReadParam): Promise<OAuthClient> {
  const clientId = read('client_id');
  if (clientId === '') throw invalid('client_id is required');
  if (read('redirect_uri') === '') throw invalid('redirect_uri is required');
  if (!isUuid(clientId)) throw badRequest('oauth_client_not_found', 'invalid client_id format');
  const client = await findOAuthClient(context.database, clientId);
  if (client === undefined) throw badRequest('oauth_client_not_found', 'invalid client_id');
  if (!redirectUrisOf(client).includes(read('redirect_uri'))) throw invalid('invalid redirect_uri');
  return client;
}

/** Returns what is wrong with a resource indicator (RFC 8707 section 2), or undefined. */
function findResourceFault(resource: string): string | undefined {
  if (resource === '') return undefined;
  if (!/^[a-z][a-z\d+.-]*:/i.test(resource)) return 'resource must be an absolute URI';
  if (!URL.canParse(resource)) return 'resource must be a valid URI';
  const { hash, search } = new URL(resource);
  if (hash !== '') return 'resource must not include a fragment component';
  return search === '' ? undefined : 'resource must not include a query component';
}

/** Returns what is wrong with a code challenge, which OAuth 2.1 requires (RFC 7636 section 4.3), or undefined. */
function findChallengeFault(challenge: string, method: string): string | undefined {
  if (challenge === '' || method === '')
    return 'PKCE flow requires both code_challenge and code_challenge_method';
  if (!/^(?:s256|plain)$/i.test(method)) return "code_challenge_method must be 'S256' or 'plain'";
  const bytes = utf8Length(challenge);
  return bytes < 43 || bytes > 128 ? 'code_challenge must be between 43 and 128 characters' : undefined;
}

function findScopeFault(scope: string): string | undefined {
  const scopes = scopesOf(scope);
  if (scopes.length === 0) return 'scope parameter cannot be empty';
  const unknown = scopes.find((name) => !supportedScopes.has(name));
  return unknown === undefined ? undefined : `unsupported scope: ${unknown}`;
}

function findFault(read: ReadParam, scope: string): string | undefined {
  if (!['', 'code'].includes(read('response_type'))) return 'only response_type=code is supported';
  return (
    findScopeFault(scope) ??
    findResourceFault(read('resource')) ??
    findChallengeFault(read('code_challenge'), read('code_challenge_method'))
  );
}

/** GET /oauth/authorize: stores the request and redirects to the site's page that asks for consent. */
export async function authorizeClient(context: AuthContext, call: Call): Promise<Response> {
  const read: ReadParam = (name) => readParam(call.url.searchParams, name);
  const client = await requireRedirectTarget(context, read);
  const [target, state, scope] = [read('redirect_uri'), read('state'), read('scope') || usualScope];
  const refuse = (error: string, description: string): Response =>
    sendRedirect(call, redirectUrlWithError(target, error, description, state), 302);
  const fault = findFault(read, scope);
  if (fault !== undefined) return refuse('invalid_request', fault);
  const { settings, siteUrl, database } = context;
  const authorization = await createAuthorization(
    database,
    nowDate(context),
    settings.oauthAuthorizationExpirySeconds,
    {
      client_id: client.id,
      redirect_uri: target,
      scope,
      state: state || null,
      resource: read('resource') || null,
      code_challenge: read('code_challenge'),
      code_challenge_method: read('code_challenge_method').toLowerCase(),
      nonce: read('nonce') || null,
    },
  ).catch(() => undefined);
  if (authorization === undefined) return refuse('server_error', 'error creating authorization');
  const path = settings.oauthAuthorizationPath;
  if (path === '') return refuse('server_error', 'oauth authorization path not configured');
  const page = `${siteUrl.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
  return sendRedirect(call, `${page}?authorization_id=${authorization.authorization_id}`, 302);
}

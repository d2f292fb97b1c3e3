import { requireCaller } from '../sessions/authentication.ts';
import { type Call, sendJson, sendRedirect, readParam } from '../http/call.ts';
import { nowDate, type AuthContext } from '../context.ts';
import { knownProviders } from '../http/discovery.ts';
import { invalid, notFound } from '../http/errors.ts';
import { type CustomProvider, customPrefix, findCustomProvider } from '../rows/custom-provider.ts';
import { createFlowState, isKnownMethod, parseCodeChallenge } from '../rows/flow-state.ts';
import { findUserByOneTimeToken } from '../rows/one-time-token.ts';
import { redirectTargetOf } from '../http/redirect-url.ts';
import { issuerOf } from '../test-provider/provider-routes.ts';
import { testClientId } from '../test-provider/test-provider.ts';

const ownParams = new Set([
  'provider',
  'scopes',
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'invite_token',
]);

/** Returns a custom provider; null for a built-in one. Throws 400 validation_failed. */
async function findProvider(context: AuthContext, provider: string): Promise<CustomProvider | null> {
  const { settings, database } = context;
  if (settings.externalProviders.includes(provider)) return null;
  if (provider.startsWith(customPrefix)) {
    const refused = (why: string): Error => invalid(`Unsupported provider: ${why}`);
    if (!settings.customProvidersEnabled) throw refused('custom OAuth providers are disabled');
    const custom = await findCustomProvider(database, provider);
    if (custom === undefined) throw refused(`custom provider ${provider} not found`);
    if (!custom.enabled) throw refused(`custom provider ${provider} is disabled`);
    return custom;
  }
  const reason = knownProviders.includes(provider)
    ? 'provider is not enabled'
    : `Provider ${provider} could not be found`;
  throw invalid(`Unsupported provider: ${reason}`);
}

/** Begins a flow at a provider and returns the URL of the provider's page. */
async function beginFlow(context: AuthContext, call: Call, linkingTargetId?: string): Promise<string> {
  const query = call.url.searchParams;
  const read = (name: string): string => readParam(query, name);
  const provider = read('provider').toLowerCase();
  const custom = await findProvider(context, provider);
  const inviteToken = read('invite_token');
  const { database } = context;
  if (inviteToken && !(await findUserByOneTimeToken(database, inviteToken, ['confirmation_token'])))
    throw notFound('user_not_found', 'User identified by token not found');
  const codeChallenge = parseCodeChallenge(read('code_challenge'), read('code_challenge_method'));
  if (!isKnownMethod(codeChallenge)) throw invalid('Invalid code_challenge_method');
  const flow = await createFlowState(database, nowDate(context), {
    provider,
    method: 'oauth',
    codeChallenge,
    referrer: redirectTargetOf(context, call),
    ...(inviteToken && { inviteToken }),
    ...(linkingTargetId !== undefined && { linkingTargetId }),
    isEmailOptional: custom?.email_optional ?? false,
  });
  const target = new URL(`${issuerOf(call, provider)}/authorize`);
  target.search = new URLSearchParams({
    client_id: custom?.client_id ?? testClientId,
    redirect_uri: `${call.authUrl}/callback`,
    response_type: 'code',
    scope: read('scopes') || (custom?.scopes.join(' ') ?? 'openid email profile'),
    state: flow.id,
  }).toString();
  for (const [name, value] of query)
    if (!ownParams.has(name.toLowerCase())) target.searchParams.set(name, value);
  for (const [name, value] of Object.entries(custom?.authorization_params ?? {}))
    target.searchParams.set(name, value);
  return target.toString();
}

/** GET /authorize: redirects the browser to the provider. */
export async function authorize(context: AuthContext, call: Call): Promise<Response> {
  return sendRedirect(call, await beginFlow(context, call), 302);
}

/** GET /user/identities/authorize: as /authorize, for linking; `{url}` with `skip_http_redirect=true`. */
export async function authorizeLink(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireCaller(context, call);
  if (!context.settings.manualLinkingEnabled)
    throw notFound('manual_linking_disabled', 'Manual linking is disabled');
  const url = await beginFlow(context, call, user.id);
  return call.url.searchParams.get('skip_http_redirect') === 'true'
    ? sendJson(call, { url })
    : sendRedirect(call, url, 302);
}

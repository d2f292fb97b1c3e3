import { type Call, sendRedirect, readParam } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { flowErrorParams, redirectWithFlowError } from '../http/error-redirect.ts';
import { badRequest, internal, OAuthError } from '../http/errors.ts';
import { deleteFlowState, findFlowStateById, type FlowState, isFlowExpired } from '../rows/flow-state.ts';
import { addToQuery, encodeParams } from '../http/redirect-url.ts';
import { updateRow } from '../rows/rows.ts';
import { signIn } from '../sessions/session-tokens.ts';
import type { ProviderGrant } from '../test-provider/test-provider.ts';
import type { User } from '../rows/user.ts';
import { loadUser } from '../rows/users.ts';
import { isUuid } from '../rows/rows.ts';
import { acceptInvite, runHookForNewAccount, signInByProvider, linkToUser } from './external-account.ts';
import { type Profile, parseProfile } from '../rows/provider-profile.ts';

/** Finds the flow of `state`. Throws 400 bad_oauth_callback, bad_oauth_state, flow_state_already_used. */
async function loadFlow(context: AuthContext, state: string): Promise<FlowState> {
  if (state === '') throw badRequest('bad_oauth_callback', 'OAuth state parameter missing');
  if (!isUuid(state)) throw badRequest('bad_oauth_state', 'OAuth state parameter is invalid');
  const flow = await findFlowStateById(context.database, state);
  if (flow === undefined) throw badRequest('bad_oauth_state', 'OAuth state not found or expired');
  if (isFlowExpired(flow, context.settings.flowStateExpirySeconds, context.now()))
    throw badRequest('bad_oauth_state', 'OAuth state has expired');
  if (flow.code_challenge !== null && flow.user_id !== null)
    throw badRequest('flow_state_already_used', 'State has already been used');
  return flow;
}

function redeem(context: AuthContext, query: URLSearchParams, flow: FlowState): ProviderGrant {
  const error = readParam(query, 'error');
  if (error !== '') throw new OAuthError(error, readParam(query, 'error_description'));
  const code = readParam(query, 'code');
  if (code === '')
    throw badRequest('bad_oauth_callback', 'OAuth callback with missing authorization code missing');
  const grant = context.testProvider.exchange(code);
  if (grant === null) throw internal(`Unable to exchange external code: ${code.slice(0, 4)}`);
  if (grant.claims.email === '' && !flow.email_optional)
    throw internal('Error getting user email from external provider');
  return grant;
}

async function enter(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  flow: FlowState,
  profile: Profile,
): Promise<User> {
  if (flow.linking_target_id !== null)
    return linkToUser(context, call, tx, await loadUser(tx.sql, flow.linking_target_id), profile);
  if (flow.invite_token) return acceptInvite(context, tx, flow.invite_token, profile);
  return signInByProvider(context, call, tx, profile);
}

/** Ends a flow: returns the page's URL with a code to exchange, or with tokens in the fragment. */
async function endFlow(
  context: AuthContext,
  call: Call,
  flow: FlowState,
  grant: ProviderGrant,
  target: string,
): Promise<string> {
  const profile = parseProfile(flow.provider_type, grant.claims, flow.email_optional);
  if (flow.linking_target_id === null && !flow.invite_token)
    await runHookForNewAccount(context, call, profile);
  return inTransaction(context, async (tx) => {
    const now = nowDate(context);
    const user = await enter(context, call, tx, flow, profile);
    if (flow.auth_code !== null) {
      await updateRow(tx.sql, 'auth.flow_state', flow.id, {
        user_id: user.id,
        provider_access_token: grant.accessToken,
        provider_refresh_token: grant.refreshToken,
        auth_code_issued_at: now,
        updated_at: now,
      });
      return addToQuery(target, { code: flow.auth_code });
    }
    const tokens = await signIn(context, call, tx.sql, user, 'oauth');
    await deleteFlowState(tx.sql, flow.id);
    const { access_token, refresh_token, token_type, expires_in, expires_at } = tokens;
    const params = {
      access_token,
      refresh_token,
      token_type,
      expires_in: String(expires_in),
      expires_at: String(expires_at),
      provider_token: grant.accessToken,
      provider_refresh_token: grant.refreshToken,
      sb: '',
    };
    return `${target}#${encodeParams(params)}`;
  });
}

/** GET and POST /callback: the redirect from a provider. */
export async function callback(context: AuthContext, call: Call): Promise<Response> {
  const isPost = call.request.method === 'POST';
  const query = isPost ? new URLSearchParams(await call.text()) : call.url.searchParams;
  let flow: FlowState;
  try {
    flow = await loadFlow(context, readParam(query, 'state'));
  } catch (error) {
    return sendRedirect(call, addToQuery(context.siteUrl, flowErrorParams(error)));
  }
  const target = flow.referrer || context.siteUrl;
  try {
    return sendRedirect(call, await endFlow(context, call, flow, redeem(context, query, flow), target), 302);
  } catch (error) {
    return sendRedirect(call, redirectWithFlowError(error, target), 302);
  }
}

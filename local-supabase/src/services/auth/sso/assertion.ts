import { type Call, sendRedirect, readParam } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import type { Sql } from '../../../database/database.ts';
import { flowErrorParams } from '../http/error-redirect.ts';
import { badRequest, CommitThenThrow, internal, invalid, notFound, unprocessable } from '../http/errors.ts';
import { findFlowStateById, type FlowState } from '../rows/flow-state.ts';
import { runHookForNewAccount, signInByProvider } from '../oauth/external-account.ts';
import type { Profile } from '../rows/provider-profile.ts';
import { addToQuery, encodeParams, isRedirectAllowed } from '../http/redirect-url.ts';
import { updateRow } from '../rows/rows.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { issuerOf } from '../test-provider/provider-routes.ts';
import { renderSignInPage } from '../test-provider/sign-in-page.ts';
import { isUuid } from '../rows/rows.ts';
import { findConnectionById } from './connection.ts';
import { requireSso } from './single-sign-on.ts';

const relayLifetimeMs = 120_000;

interface RelayState {
  readonly id: string;
  readonly sso_provider_id: string;
  readonly redirect_to: string | null;
  readonly flow_state_id: string;
  readonly created_at: Date;
}

const ssoIssuer = (call: Call, connectionId: string): string => issuerOf(call, `sso/${connectionId}`);

async function respondAs(
  context: AuthContext,
  call: Call,
  email: string,
  name: string,
  relay: string,
): Promise<Response> {
  const issuer = ssoIssuer(call, call.param('connection'));
  const assertion = await context.testProvider.signIdToken(issuer, { email, name, isEmailVerified: true });
  return sendRedirect(
    call,
    addToQuery(`${call.authUrl}/sso/saml/acs`, { SAMLResponse: assertion, RelayState: relay }),
  );
}

/** GET /test-provider/sso/:connection: the company's page; `login_hint` and `prompt=none` skip it. */
export async function showSsoProvider(context: AuthContext, call: Call): Promise<Response> {
  const query = call.url.searchParams;
  const relay = readParam(query, 'RelayState');
  const email = readParam(query, 'login_hint');
  if (query.get('prompt') === 'none' && email !== '') return respondAs(context, call, email, '', relay);
  return renderSignInPage({
    title: 'Sign in with your company',
    email: email || 'ada@sso.example.com',
    hidden: { RelayState: relay },
  });
}

export async function submitSsoProvider(context: AuthContext, call: Call): Promise<Response> {
  const form = new URLSearchParams(await call.text());
  if (form.get('decision') === 'deny') return sendRedirect(call, context.siteUrl);
  return respondAs(
    context,
    call,
    readParam(form, 'email'),
    readParam(form, 'name'),
    readParam(form, 'RelayState'),
  );
}

interface TakenRelayState extends RelayState {
  /** Null for a connection of the settings. */
  readonly entityId: string | null;
}

/** Deletes the relay state, unless its connection is disabled. */
async function takeRelayState(context: AuthContext, id: string): Promise<TakenRelayState> {
  if (!isUuid(id)) throw invalid('SAML RelayState is not a valid UUID or URL');
  return inTransaction(context, async ({ sql }) => {
    const [relay] = await sql.query<RelayState>(
      'delete from auth.saml_relay_states where id = $1 returning *',
      [id],
    );
    if (relay === undefined)
      throw notFound('saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?');
    if (context.now() - relay.created_at.getTime() >= relayLifetimeMs)
      throw new CommitThenThrow(
        unprocessable('saml_relay_state_expired', 'SAML RelayState has expired. Try logging in again?'),
      );
    const connection = await findConnectionById(sql, relay.sso_provider_id);
    if (connection?.disabled)
      throw notFound('sso_provider_disabled', 'SSO Provider assigned for this domain is currently disabled');
    return { ...relay, entityId: connection?.entity_id ?? null };
  });
}

async function readAssertion(
  context: AuthContext,
  call: Call,
  { sso_provider_id, entityId }: TakenRelayState,
  assertion: string,
): Promise<Profile> {
  const issuer = ssoIssuer(call, sso_provider_id);
  const claims = await context.testProvider.verifyIdToken(issuer, assertion);
  if (!claims?.sub) throw invalid('SAML Assertion is not valid');
  const email = claims['email'];
  if (typeof email !== 'string' || email === '')
    throw badRequest('saml_assertion_no_email', 'SAML Assertion does not contain an email address');
  const data = {
    iss: entityId ?? issuer,
    sub: claims.sub,
    email,
    email_verified: true,
    phone_verified: false,
    custom_claims: {},
  };
  const provider = `sso:${sso_provider_id}`;
  return { provider, data, email, isEmailVerified: true, isEmailOptional: false };
}

async function passCode(context: AuthContext, sql: Sql, flow: FlowState, userId: string): Promise<string> {
  if (flow.user_id !== null) throw badRequest('flow_state_already_used', 'State has already been used');
  if (flow.auth_code === null) throw internal('The flow has no code');
  const now = nowDate(context);
  await updateRow(sql, 'auth.flow_state', flow.id, {
    user_id: userId,
    auth_code_issued_at: now,
    updated_at: now,
  });
  return flow.auth_code;
}

/** Consumes the identity provider's assertion and returns the URL of the page, with a code or with tokens. */
async function consume(context: AuthContext, call: Call): Promise<string> {
  const isPost = call.request.method === 'POST';
  const form = isPost ? new URLSearchParams(await call.text()) : call.url.searchParams;
  // Its own transaction, so that an assertion that is refused uses the relay state up.
  const relay = await takeRelayState(context, readParam(form, 'RelayState'));
  const profile = await readAssertion(context, call, relay, readParam(form, 'SAMLResponse'));
  return inTransaction(context, async (tx) => {
    await runHookForNewAccount(context, call, profile, tx);
    const user = await signInByProvider(context, call, tx, profile);
    const wanted = relay.redirect_to ?? '';
    const target = isRedirectAllowed(context, wanted) ? wanted : context.siteUrl;
    const flow = await findFlowStateById(tx.sql, relay.flow_state_id);
    if (flow?.auth_code != null)
      return addToQuery(target, { code: await passCode(context, tx.sql, flow, user.id) });
    const tokens = await signIn(context, call, tx.sql, user, 'sso/saml');
    const { access_token, refresh_token, token_type, expires_in, expires_at } = tokens;
    const times = { expires_in: String(expires_in), expires_at: String(expires_at) };
    return `${target}#${encodeParams({ access_token, refresh_token, token_type, ...times, sb: '' })}`;
  });
}

/** GET and POST /sso/saml/acs: redirects to the page, or to the site's URL with the error in the query. */
export async function consumeAssertion(context: AuthContext, call: Call): Promise<Response> {
  requireSso(context);
  try {
    return sendRedirect(call, await consume(context, call), 302);
  } catch (error) {
    return sendRedirect(call, addToQuery(context.siteUrl, flowErrorParams(error)));
  }
}

import { type Call, type JsonObject, readFlag, readText, sendJson, sendRedirect } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { badRequest, invalid, notFound } from '../http/errors.ts';
import { createFlowState, isKnownMethod, parseCodeChallenge } from '../rows/flow-state.ts';
import { insertRow } from '../rows/rows.ts';
import { isUuid } from '../rows/rows.ts';
import { type Connection, findConnectionByDomain, findConnectionById } from './connection.ts';

/** Throws 404 saml_provider_disabled unless the project has single sign-on. */
export function requireSso({ settings }: AuthContext): void {
  if (settings.ssoConnections.length === 0) throw notFound('saml_provider_disabled', 'SAML 2.0 is disabled');
}

async function pickConnection(context: AuthContext, body: JsonObject): Promise<Connection> {
  const [id, domain] = [readText(body, 'provider_id'), readText(body, 'domain')];
  if (id !== '' && !isUuid(id))
    throw badRequest(
      'bad_json',
      `Could not parse request body as JSON: uuid: incorrect UUID length in string ${JSON.stringify(id)}`,
    );
  if (id !== '' && domain !== '') throw invalid('Only one of provider_id or domain supported');
  if (id === '' && domain === '') throw invalid('A provider_id or domain needs to be provided');
  const { database } = context;
  const connection = await (id === ''
    ? findConnectionByDomain(database, domain)
    : findConnectionById(database, id));
  if (connection === undefined)
    throw notFound(
      'sso_provider_not_found',
      id === '' ? 'No SSO provider assigned for this domain' : 'No such SSO provider',
    );
  if (connection.disabled) throw notFound('sso_provider_disabled', 'SSO Provider is currently disabled');
  return connection;
}

/**
 * POST /sso: `{domain|provider_id, redirect_to, skip_http_redirect, code_challenge…}`; redirects to the identity
 * provider, or returns its URL.
 */
export async function singleSignOn(context: AuthContext, call: Call): Promise<Response> {
  requireSso(context);
  const body = await call.json();
  const connection = await pickConnection(context, body);
  const codeChallenge = parseCodeChallenge(
    readText(body, 'code_challenge'),
    readText(body, 'code_challenge_method'),
  );
  if (!isKnownMethod(codeChallenge)) throw invalid('Invalid code_challenge_method');
  const redirectTo = readText(body, 'redirect_to');
  const relayState = await inTransaction(context, async ({ sql }) => {
    const now = nowDate(context);
    const wanted = { provider: 'sso/saml', method: 'sso/saml', codeChallenge, referrer: redirectTo } as const;
    const flow = await createFlowState(sql, now, wanted);
    return insertRow<{ id: string; request_id: string }>(sql, 'auth.saml_relay_states', {
      id: crypto.randomUUID(),
      sso_provider_id: connection.id,
      request_id: `id-${crypto.randomUUID()}`,
      redirect_to: redirectTo,
      flow_state_id: flow.id,
      created_at: now,
      updated_at: now,
    });
  });
  const url = new URL(`${call.authUrl}/test-provider/sso/${connection.id}`);
  url.searchParams.set('SAMLRequest', relayState.request_id);
  url.searchParams.set('RelayState', relayState.id);
  return readFlag(body, 'skip_http_redirect')
    ? sendJson(call, { url: url.toString() })
    : sendRedirect(call, url.toString());
}

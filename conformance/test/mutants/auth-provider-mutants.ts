import {
  mutantsOf,
  onRequest,
  onResponse,
  withBodyMember,
  withClaims,
  withHeader,
  withMember,
  withStatus,
  withText,
  type FetchFault,
  type ServerMutant,
} from './mutant.ts';

const discovery = mutantsOf('auth', 'discovery', 'auth#discovery');
const routes = mutantsOf('auth', 'service routes', 'auth#service-routes auth#errors');
const flows = mutantsOf('auth', 'pending flows', 'auth#pkce auth#oauth auth#mail-links');
const identities = mutantsOf('auth', 'linked identities', 'auth#identities');
const wallets = mutantsOf('auth', 'wallets', 'auth#wallets');
const organizations = mutantsOf('auth', 'single sign-on', 'auth#single-sign-on');

const configuration = /\/openid-configuration 200/;
const metadata = /\/sso\/saml\/metadata\S* 200/;
const ssoProvider = /\/sso\/providers/;

const withLocation = (match: RegExp, pattern: string | RegExp, replacement: string): FetchFault =>
  withHeader(match, 'location', (url) => url.replaceAll(new RegExp(pattern, 'g'), replacement));

/** The statements that create and remove a trigger of one table. */
const trigger = (
  table: string,
  event: string,
  body: string,
  time: 'before' | 'after' = 'before',
): readonly [string, string] => [
  `create function public.break_row() returns trigger language plpgsql as 'begin ${body} end';
   create trigger break ${time} ${event} on ${table} for each row execute function public.break_row();`,
  `drop trigger break on ${table}; drop function public.break_row();`,
];

/** Faulty servers that the audits of providers, wallets and discovery detect. */
export const authProviderMutants: readonly ServerMutant[] = [
  discovery('has no OpenID configuration', { fetch: withStatus(configuration, 404, '{}') }),
  discovery('issues tokens at an endpoint of another host', {
    fetch: withMember(configuration, 'token_endpoint', 'https://example.com/oauth/token'),
  }),
  discovery('supports the implicit flow', {
    fetch: withMember(configuration, 'response_types_supported', ['token']),
  }),
  discovery('names no claims', { fetch: withMember(configuration, 'claims_supported', []) }),
  discovery('forbids to cache its configuration', {
    fetch: withHeader(configuration, 'cache-control', () => 'no-store'),
  }),
  discovery('describes its OAuth server otherwise than itself', {
    fetch: withMember(/\/oauth-authorization-server 200/, 'scopes_supported', ['openid']),
  }),
  discovery('hides where applications register themselves', {
    fetch: withMember(configuration, 'registration_endpoint', undefined),
  }),
  discovery('issues tokens of another issuer', {
    fetch: withClaims(/\/token\S* 200/, (claims) => ({ ...claims, iss: 'https://example.com' })),
  }),

  routes('does not know a provider', { fetch: withMember(/\/settings 200/, 'external.github', undefined) }),
  routes('begins a sign-in at a provider that is off', { fetch: withStatus(/\/authorize\S* 400/, 302) }),
  routes('responds with text', { fetch: withHeader(/./, 'content-type', () => 'text/plain') }),
  routes('numbers each refusal', { fetch: withMember(/ 400$/, 'error_id', 'a') }),
  routes('reads bodies of any size', { fetch: withStatus(/ 413$/, 400) }),
  routes('describes SCIM in no schema', {
    fetch: withMember(/\/ServiceProviderConfig 200/, 'schemas', []),
  }),

  flows('does not tell that a flow is gone', {
    fetch: withLocation(/\/verify\S* 303/, 'flow_state_not_found', 'otp_expired'),
  }),
  flows('gives each flow a code', {
    sql: trigger(
      'auth.flow_state',
      'insert',
      'new.auth_code := coalesce(new.auth_code, gen_random_uuid()::text); return new;',
    ),
  }),
  flows('refuses a code of a flow without a user otherwise', {
    fetch: withStatus(/grant_type=pkce 404/, 400),
  }),
  flows('redirects from a link with other times than those of the token', {
    fetch: withLocation(/\/verify\S* 303/, /expires_at=\d+/, 'expires_at=1'),
  }),
  flows('takes a state twice', {
    fetch: withLocation(/\/callback\S* 303/, 'flow_state_already_used', 'bad_oauth_state'),
  }),
  flows('does not tell that a provider sent no code', {
    fetch: withLocation(/\/callback\S* 302/, 'bad_oauth_callback', 'unexpected_failure'),
  }),
  flows('does not read the form of a provider', {
    fetch: onRequest(/^POST \S*\/callback/, (request) => void (request.body = 'state=')),
  }),

  identities('keeps the providers of a user', {
    sql: trigger('auth.users', 'update', 'new.raw_app_meta_data := old.raw_app_meta_data; return new;'),
  }),
  identities('loses the address of a user', {
    fetch: withMember(/^GET \/auth\/v1\/user 200/, 'email', 'lost@example.com'),
  }),
  identities('verifies no address of a provider', {
    sql: trigger(
      'auth.identities',
      'insert',
      "new.identity_data := new.identity_data || jsonb_build_object(''email_verified'', false); return new;",
    ),
  }),
  identities('verifies each address of a provider', {
    sql: trigger(
      'auth.identities',
      'insert',
      "new.identity_data := new.identity_data || jsonb_build_object(''email_verified'', true); return new;",
    ),
  }),
  identities('unlinks any identity', { fetch: withStatus(/\/identities\/\S* 422/, 200, '{}') }),
  identities('keeps a change that is pending for a former address', {
    sql: trigger(
      'auth.users',
      'update',
      'if new.email is distinct from old.email then new.email_change := old.email_change; end if; return new;',
    ),
  }),
  identities('links without a session', { fetch: withStatus(/\/identities\/\S* 401/, 200, '{}') }),
  identities('never redirects to the provider of a link', {
    fetch: withStatus(/\/identities\/authorize\S* 302/, 200, '{}'),
  }),

  wallets('refuses a message of another form as bad_json', {
    fetch: withText(/grant_type=web3 400/, 'validation_failed', 'bad_json'),
  }),
  wallets('forgets the claims of a wallet', {
    fetch: withMember(/grant_type=web3 200/, 'user.identities.0.identity_data.custom_claims', undefined),
  }),

  organizations('consumes assertions at another address', {
    fetch: withText(metadata, /saml\/acs/g, 'saml/consume'),
  }),
  organizations('forbids to cache its SAML metadata', {
    fetch: withHeader(metadata, 'cache-control', () => 'no-store'),
  }),
  organizations('sends no file to download', {
    fetch: withHeader(metadata, 'content-disposition', () => null),
  }),
  organizations('hides that it has no SAML', {
    settings: { auth: { ssoConnections: [] } },
    fetch: withText(/\/sso\S* 404/, 'saml_provider_disabled', 'sso_provider_not_found'),
  }),
  organizations('sends no relay state', {
    fetch: onResponse(/^POST \/auth\/v1\/sso (?:200|303)/, (response) => {
      const [pattern, shortened] = [/RelayState=[^&"]*/, 'RelayState='];
      response.text = response.text.replace(pattern, shortened);
      response.headers.set('location', (response.headers.get('location') ?? '').replace(pattern, shortened));
    }),
  }),
  organizations('begins at an identity provider with any challenge', {
    fetch: withStatus(/^POST \/auth\/v1\/sso 400/, 200, '{}'),
  }),
  organizations('disables no identity provider', {
    fetch: withBodyMember(ssoProvider, 'disabled', undefined),
  }),
  organizations('stores no resource ids', { fetch: withBodyMember(ssoProvider, 'resource_id', undefined) }),
  organizations('stores no lists of attributes', {
    fetch: withBodyMember(ssoProvider, 'attribute_mapping.keys.groups.array', undefined),
  }),
  organizations('hides when an identity provider was changed', {
    fetch: withMember(/\/sso\/providers\S* 20\d/, 'updated_at', undefined),
  }),
  organizations('refuses an assertion without a redirect', {
    fetch: withStatus(/\/saml\/acs 303/, 400, '{}'),
  }),
  organizations('does not tell why a relay state is refused', {
    fetch: withLocation(
      /\/saml\/acs 303/,
      'saml_relay_state_expired|sso_provider_disabled',
      'validation_failed',
    ),
  }),
  organizations('keeps the relay state of an assertion that it refuses', {
    sql: trigger(
      'auth.saml_relay_states',
      'delete',
      'insert into auth.saml_relay_states select old.* from auth.sso_providers where id = old.sso_provider_id; return null;',
      'after',
    ),
  }),
];

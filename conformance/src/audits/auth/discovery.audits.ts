import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { metadataOf } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#discovery', since: '1.0.0' } as const;
const ofRoutes = { source: 'protocol/auth.md#service-routes', since: '1.0.0' } as const;

const providers = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'zoom',
] as const;

const openId = '/.well-known/openid-configuration';
const oauth = '/.well-known/oauth-authorization-server';

async function readConfiguration({ auth }: AuditContext): Promise<WireResponse> {
  const response = await auth.send('GET', openId);
  assertStatus(response, 200);
  return response;
}

const listAt = ({ json }: WireResponse, member: string): readonly unknown[] => {
  const list = at(json, member);
  assert.ok(Array.isArray(list), `${member} is a list`);
  return list as readonly unknown[];
};

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Responds 404 where the service is no OAuth server. */
const registerNothing = ({ auth }: AuditContext): Promise<WireResponse> =>
  auth.send('POST', '/oauth/clients/register', { body: {} });

/** The documents that describe the service, and what every response has. */
export const discoveryAudits: readonly Audit[] = [
  audit(
    'AUTH-014',
    'the OpenID configuration names the endpoints below its issuer, on a server without OAuth too',
    options,
    async (context) => {
      const response = await readConfiguration(context);
      const base = textAt(response, 'issuer').replace(/\/+$/, '');
      assert.ok(URL.canParse(base), 'the issuer is a URL', base);
      const endpoints = {
        authorization_endpoint: '/oauth/authorize',
        token_endpoint: '/oauth/token',
        userinfo_endpoint: '/oauth/userinfo',
        jwks_uri: '/.well-known/jwks.json',
      };
      for (const [member, path] of Object.entries(endpoints))
        assert.equal(at(response.json, member), base + path, member);
    },
  ),
  audit('AUTH-015', 'the OpenID configuration lists what the endpoints support', options, async (context) => {
    const response = await readConfiguration(context);
    const exact = {
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256', 'plain'],
    };
    for (const [member, values] of Object.entries(exact))
      assert.deepEqual(at(response.json, member), values, member);
    const atLeast = {
      scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
      claims_supported: ['sub', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'nonce', 'email', 'email_verified'],
    };
    for (const [member, values] of Object.entries(atLeast)) {
      const listed = listAt(response, member);
      assert.deepEqual(
        values.filter((value) => !listed.includes(value)),
        [],
        `the values that ${member} lacks`,
      );
    }
    const claims = ['phone_number', 'phone_number_verified', 'name', 'picture', 'preferred_username'];
    const listed = listAt(response, 'claims_supported');
    assert.deepEqual(
      [...claims, 'updated_at'].filter((claim) => !listed.includes(claim)),
      [],
      'the claims of phone and profile that claims_supported lacks',
    );
  }),
  audit(
    'AUTH-016',
    'the OpenID configuration may be cached for ten minutes',
    { ...options, level: 'SHOULD' },
    async (context) => {
      const { headers } = await readConfiguration(context);
      assert.match(
        headers.get('cache-control') ?? '',
        /\bpublic\b.*\bmax-age=600\b/,
        'the header cache-control',
      );
    },
  ),
  audit(
    'AUTH-017',
    'the metadata of the OAuth server is the OpenID configuration, or feature_disabled without OAuth',
    options,
    async (context) => {
      const response = await context.auth.send('GET', oauth);
      if ((await registerNothing(context)).status === 404)
        return assertError(response, 404, 'feature_disabled');
      assertStatus(response, 200);
      assert.deepEqual(response.json, (await readConfiguration(context)).json, 'the metadata');
    },
  ),
  audit(
    'AUTH-018',
    'the OpenID configuration has a registration_endpoint where applications may register themselves',
    options,
    async (context) => {
      const { json } = await readConfiguration(context);
      const refused = await registerNothing(context);
      if (refused.status !== 404 && refused.status !== 403) assertError(refused, 400, 'validation_failed');
      if (refused.status === 403) assertError(refused, 403, 'oauth_dynamic_client_registration_disabled');
      const base = String(at(json, 'issuer')).replace(/\/+$/, '');
      const expected = refused.status === 400 ? `${base}/oauth/clients/register` : undefined;
      assert.equal(at(json, 'registration_endpoint'), expected, 'registration_endpoint');
    },
  ),
  audit(
    'AUTH-019',
    'the claim iss of an access token is the issuer of the OpenID configuration',
    options,
    async (context) => {
      const { json } = await readConfiguration(context);
      const claims = jwtPartOf((await context.newUser()).accessToken);
      assert.equal(at(claims, 'iss'), at(json, 'issuer'), 'iss of the claims');
    },
  ),
  audit('AUTH-020', 'GET /settings has each provider as a boolean', ofRoutes, async ({ auth }) => {
    const { json } = await auth.send('GET', '/settings');
    for (const name of providers)
      assert.equal(typeof at(json, 'external', name), 'boolean', `the type of external.${name}`);
    assert.equal(typeof at(json, 'sms_provider'), 'string', 'the type of sms_provider');
  }),
  audit(
    'AUTH-021',
    'GET /authorize accepts the providers that the settings list as enabled, and refuses the others',
    ofRoutes,
    async ({ auth, newPkce }) => {
      const { json } = await auth.send('GET', '/settings');
      const ofName = (name: string) =>
        auth.send('GET', '/authorize', { query: { provider: name, ...newPkce().challenge } });
      const disabled = providers.find((name) => at(json, 'external', name) === false);
      const enabled = ['github', 'gitlab', 'discord'].find((name) => at(json, 'external', name) === true);
      if (disabled !== undefined) assertError(await ofName(disabled), 400, 'validation_failed');
      if (enabled !== undefined) assertStatus(await ofName(enabled), 302);
      if (disabled === undefined && enabled === undefined) throw new NotRunError('no such provider');
    },
  ),
  audit(
    'AUTH-022',
    'successes and errors are application/json',
    { source: 'protocol/auth.md#errors', since: '1.0.0' },
    async ({ auth }) => {
      const responses = [
        await auth.send('GET', '/settings'),
        await auth.send('GET', '/.well-known/jwks.json'),
        await auth.send('GET', openId),
        await auth.send('POST', '/token', { query: { grant_type: 'password' }, body: {} }),
        await auth.send('POST', '/token', { query: { grant_type: 'web3' }, body: { chain: 'gold' } }),
      ];
      for (const { headers } of responses)
        assert.match(headers.get('content-type') ?? '', /^application\/json\b/, 'the header content-type');
    },
  ),
  audit(
    'AUTH-025',
    'a refusal has no error_id: the service numbers its own failures alone',
    { source: 'protocol/auth.md#errors', since: '1.0.0' },
    async ({ auth }) => {
      for (const version of ['', '2024-01-01']) {
        const response = await auth.send('POST', '/token', {
          query: { grant_type: 'password' },
          body: { email: 'unknown@example.com', password: 'wrong-password' },
          headers: { 'X-Supabase-Api-Version': version },
        });
        assertStatus(response, 400);
        assert.equal(at(response.json, 'error_id'), undefined, 'error_id of the response');
      }
    },
  ),
  audit(
    'AUTH-023',
    'a body of one mebibyte is read, and a longer one is refused as request_entity_too_large',
    { source: 'protocol/auth.md#errors', since: '1.0.0' },
    async (context) => {
      const mebibyte = 1024 * 1024;
      const fields = { email: context.newEmail(), password: 'Secret-123456', padding: '' };
      const rest = 'x'.repeat(mebibyte - JSON.stringify(fields).length);
      const send = (padding: string) =>
        context.auth.send('POST', '/token', {
          query: { grant_type: 'password' },
          body: { ...fields, padding },
        });
      assertError(await send(rest), 400, 'invalid_credentials');
      const refused = await send(`${rest}x`);
      if (refused.status === 413 && at(refused.json, 'code') === undefined)
        throw new NotRunError('a gateway limits the size of bodies');
      assertError(refused, 413, 'request_entity_too_large');
    },
  ),
  audit(
    'AUTH-024',
    'SCIM describes itself in the form of RFC 7643, or is refused as feature_disabled',
    ofRoutes,
    async ({ auth }) => {
      const send = (path: string) => auth.send('GET', `/scim/v2${path}`);
      const configuration = await send('/ServiceProviderConfig');
      if (configuration.status === 404) {
        if (at(configuration.json, 'code') === undefined) throw new NotRunError('the version has no SCIM');
        for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas', '/Users'])
          assertError(await send(path), 404, 'feature_disabled');
        return;
      }
      assertStatus(configuration, 200);
      assert.match(
        configuration.headers.get('content-type') ?? '',
        /^application\/scim\+json/,
        'the header content-type',
      );
      const schema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
      assert.deepEqual(at(configuration.json, 'schemas'), [schema], 'schemas of the configuration');
      for (const feature of ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag'])
        assert.equal(
          typeof at(configuration.json, feature, 'supported'),
          'boolean',
          `the type of ${feature}.supported`,
        );
      assert.deepEqual(
        [
          at(configuration.json, 'authenticationSchemes', 0, 'type'),
          at(configuration.json, 'authenticationSchemes', 0, 'primary'),
          at(configuration.json, 'authenticationSchemes', 0, 'specUri'),
          at(configuration.json, 'meta', 'resourceType'),
        ],
        ['oauthbearertoken', true, 'http://www.rfc-editor.org/info/rfc6750', 'ServiceProviderConfig'],
        'type, primary and specUri of the scheme, and meta.resourceType',
      );
      assert.match(
        textAt(configuration, 'meta', 'location'),
        /\/scim\/v2\/ServiceProviderConfig$/,
        'meta.location',
      );
      for (const path of ['/ResourceTypes', '/Schemas']) {
        const list = await send(path);
        assertStatus(list, 200);
        assert.deepEqual(
          [at(list.json, 'schemas'), at(list.json, 'startIndex'), at(list.json, 'totalResults')],
          [[listSchema], 1, listAt(list, 'Resources').length],
          `schemas, startIndex and totalResults of ${path}`,
        );
        assertStatus(await send(`${path}?filter=id`), 403);
      }
      const unknown = await send('/NoSuchResources');
      assertStatus(unknown, 404);
      assert.deepEqual(
        [at(unknown.json, 'schemas'), at(unknown.json, 'status')],
        [[errorSchema], '404'],
        'schemas and status of the error',
      );
    },
  ),
  audit(
    'AUTH-026',
    'what the settings list as enabled is not refused as disabled, and the other way round',
    ofRoutes,
    async (context) => {
      const { auth, run } = context;
      const { json } = await auth.send('GET', '/settings');
      const external = (name: string) => at(json, 'external', name) === true;
      const isOpen = at(json, 'disable_signup') === false;
      const token = (grant_type: string, body: object) =>
        auth.send('POST', '/token', { query: { grant_type }, body });
      const codeOf = (response: WireResponse) => at(response.json, 'code');
      const anonymous = await auth.send('POST', '/signup', { body: { data: metadataOf(run) } });
      const byPhone = await token('password', { phone: context.newPhone(), password: 'wrong' });
      const byEmail = await token('password', { email: context.newEmail(), password: 'wrong' });
      const newEmail = await auth.send('POST', '/otp', {
        body: { email: context.newEmail(), create_user: false },
      });
      const bySso = await auth.send('POST', '/sso', { body: { domain: 'unknown.example.net' } });
      const passkeys = await auth.send('POST', '/passkeys/authentication/options', { body: {} });
      const weak = await auth.send('POST', '/signup', {
        body: { email: context.newEmail(), password: 'Secret-1 of the settings' },
      });
      const checks: readonly (readonly [string, WireResponse, boolean, string])[] = [
        ['anonymous_users', anonymous, external('anonymous_users') || !isOpen, 'anonymous_provider_disabled'],
        ['phone', byPhone, external('phone'), 'phone_provider_disabled'],
        ['email', byEmail, external('email'), 'email_provider_disabled'],
        ['email of a new user', newEmail, external('email'), 'email_provider_disabled'],
        ['saml_enabled', bySso, at(json, 'saml_enabled') === true, 'saml_provider_disabled'],
        ['passkeys_enabled', passkeys, at(json, 'passkeys_enabled') !== false, 'passkey_disabled'],
        ['disable_signup', weak, isOpen, 'signup_disabled'],
      ];
      for (const [name, response, isEnabled, code] of checks)
        assert.equal(codeOf(response) !== code, isEnabled, `whether ${name} is not refused as ${code}`);
      if (external('anonymous_users') && isOpen) assertStatus(anonymous, 200);
      if (!isOpen || !external('email')) return;
      assertStatus(weak, 200);
      assert.equal(
        at(weak.json, 'access_token') !== undefined,
        at(json, 'mailer_autoconfirm') === true,
        'whether a sign-up by email has a session',
      );
    },
  ),
];

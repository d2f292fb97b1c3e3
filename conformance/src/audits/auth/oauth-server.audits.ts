import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, jwtPartOf, locationOf, textAt } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import {
  approve,
  assertOAuthError,
  authorize,
  begin,
  decide,
  posting,
  read,
  requestTokens,
  signIn,
  withApplication,
} from './oauth-application.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#oauth-server', needs: ['service-key'], since: '1.0.0' } as const;

const unknown = 'Invalid authorization code';

/** Changes of a request for tokens by a code, with their refusals. */
const refusals: readonly (readonly [object, string, string])[] = [
  [
    { code_verifier: 'x'.repeat(43) },
    'invalid_grant',
    'PKCE verification failed: code challenge does not match previously saved code verifier',
  ],
  [
    { code_verifier: '' },
    'invalid_grant',
    'PKCE verification failed: code_verifier is required when PKCE challenge is present',
  ],
  [{ redirect_uri: 'https://app.example.com/other' }, 'invalid_grant', 'Invalid redirect_uri'],
  [{ code: 'unknown' }, 'invalid_grant', unknown],
  [{ code: '' }, 'invalid_request', 'code is required for authorization_code grant'],
  [{ grant_type: '' }, 'invalid_request', 'grant_type is required'],
  [{ grant_type: 'password' }, 'unsupported_grant_type', 'Client is not allowed to use grant type: password'],
  [{ grant_type: 1 }, 'invalid_request', 'Invalid JSON body'],
  [
    { grant_type: 'refresh_token', refresh_token: '' },
    'invalid_request',
    'refresh_token is required for refresh_token grant',
  ],
];

/** The service as the OAuth server of other applications. */
export const oauthServerAudits: readonly Audit[] = [
  audit(
    'AUTH-1101',
    'an application is registered with the defaults of RFC 7591, and its secret is shown once',
    options,
    (context) =>
      withApplication(context, {}, async ({ id, redirectUri, registered }) => {
        const defaults = {
          client_type: 'confidential',
          token_endpoint_auth_method: 'client_secret_basic',
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          registration_type: 'manual',
        };
        const { json } = await context.admin('GET', `/oauth/clients/${id}`);
        for (const [member, value] of Object.entries(defaults)) {
          assert.deepEqual(at(registered.json, member), value, `${member} of the registration`);
          assert.deepEqual(at(json, member), value, `${member} of the application`);
        }
        assert.ok(textAt(registered, 'client_secret').length > 20, 'the registration has a secret');
        assert.equal(at(json, 'client_secret'), undefined, 'client_secret of the application');
        const listed = at((await context.admin('GET', '/oauth/clients')).json, 'clients');
        const ids = (listed as readonly unknown[]).map((client) => at(client, 'client_id'));
        assert.ok(ids.includes(id), 'the application is listed');
        assertStatus(await context.admin('DELETE', `/oauth/clients/${id}`), 204);
        assertError(await context.admin('GET', `/oauth/clients/${id}`), 404, 'oauth_client_not_found');
      }),
  ),
  audit(
    'AUTH-1102',
    'an application with an unsafe address, an unknown grant or a wrong type is not registered',
    options,
    (context) =>
      withApplication(context, {}, async ({ redirectUri }) => {
        const redirect_uris = [redirectUri];
        const eleven = Array.from({ length: 11 }, (_, index) => `https://${index}.example.com/`);
        const at = (uri: string) => `invalid redirect_uri '${uri}': `;
        const wrong: readonly (readonly [object, string])[] = [
          [{}, 'redirect_uris is required'],
          [{ redirect_uris: [] }, 'redirect_uris is required'],
          [{ redirect_uris: eleven }, 'redirect_uris cannot exceed 10 items'],
          [
            { redirect_uris: [redirectUri, 'javascript://app.example.com/'] },
            `${at('javascript://app.example.com/')}scheme 'javascript' is not allowed for security reasons`,
          ],
          ...Object.entries({
            'http://app.example.com/': 'HTTP scheme only allowed for localhost',
            'https://app.example.com/#a': 'fragment not allowed in redirect URI',
            '/callback': 'must have scheme and host',
            'https://app.example.com/%zz': 'invalid URL format',
            'https://[::1/callback': 'invalid URL format',
          }).map(([uri, reason]) => [{ redirect_uris: [uri] }, at(uri) + reason] as const),
          [
            { redirect_uris, grant_types: ['implicit'] },
            "grant_types must only contain 'authorization_code' and/or 'refresh_token'",
          ],
          [
            { redirect_uris, token_endpoint_auth_method: 'private_key_jwt' },
            'token_endpoint_auth_method must be one of: [none client_secret_basic client_secret_post]',
          ],
          [{ redirect_uris, client_type: 'secret' }, "client_type must be 'public' or 'confidential'"],
          [
            { redirect_uris, client_type: 'public', token_endpoint_auth_method: 'client_secret_post' },
            "client_type 'public' is inconsistent with token_endpoint_auth_method 'client_secret_post' (expected client_type 'confidential')",
          ],
          [{ redirect_uris, client_uri: 'x'.repeat(2049) }, 'client_uri cannot exceed 2048 characters'],
          [{ redirect_uris, client_uri: 'no address' }, 'client_uri must be a valid URL'],
        ];
        for (const [body, reason] of wrong) {
          const refused = await context.admin('POST', '/oauth/clients', body);
          assertRefusal(refused, 400, 'validation_failed', `400: ${reason}`);
        }
      }),
  ),
  audit(
    'AUTH-1103',
    'an application is changed in the members of the request, and gets a new secret on request',
    options,
    (context) =>
      withApplication(context, {}, async ({ id, secret, redirectUri }) => {
        const path = `/oauth/clients/${id}`;
        const changed = await context.admin('PUT', path, { client_uri: 'https://app.example.com/about' });
        assert.deepEqual(
          [at(changed.json, 'client_uri'), at(changed.json, 'redirect_uris')],
          ['https://app.example.com/about', [redirectUri]],
          'client_uri and redirect_uris',
        );
        for (const body of [{}, { redirect_uris: [] }, { token_endpoint_auth_method: 'none' }])
          assertError(await context.admin('PUT', path, body), 400, 'validation_failed');
        const renewed = await context.admin('POST', `${path}/regenerate_secret`);
        assert.notEqual(textAt(renewed, 'client_secret'), secret, 'client_secret of the response');
        assertError(await context.admin('GET', '/oauth/clients/no-uuid'), 400, 'validation_failed');
      }),
  ),
  audit('AUTH-1104', 'a public application has no secret', options, (context) =>
    withApplication(context, { token_endpoint_auth_method: 'none' }, async ({ id, registered }) => {
      assert.deepEqual(
        [at(registered.json, 'client_type'), at(registered.json, 'client_secret')],
        ['public', undefined],
        'client_type and client_secret of the registration',
      );
      const renewed = await context.admin('POST', `/oauth/clients/${id}/regenerate_secret`);
      assertError(renewed, 400, 'validation_failed');
    }),
  ),
  audit(
    'AUTH-1105',
    'a faulty authorization request of a known application is redirected with invalid_request',
    options,
    (context) =>
      withApplication(context, {}, async (application) => {
        const { challenge } = context.newPkce();
        const both = 'PKCE flow requires both code_challenge and code_challenge_method';
        const length = 'code_challenge must be between 43 and 128 characters';
        const faults: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
          [{ scope: 'email' }, both],
          [{ ...challenge, response_type: 'token' }, 'only response_type=code is supported'],
          [{ ...challenge, scope: 'email everything' }, 'unsupported scope: everything'],
          [{ ...challenge, scope: ' ' }, 'scope parameter cannot be empty'],
          [{ ...challenge, code_challenge: 'short' }, length],
          [{ ...challenge, code_challenge_method: 'md5' }, "code_challenge_method must be 'S256' or 'plain'"],
          [{ ...challenge, resource: '/relative' }, 'resource must be an absolute URI'],
          [{ ...challenge, resource: '/https://api.example.com/' }, 'resource must be an absolute URI'],
          [{ ...challenge, resource: 'https://[::1' }, 'resource must be a valid URI'],
          [
            { ...challenge, resource: 'https://api.example.com/#a' },
            'resource must not include a fragment component',
          ],
          [
            { ...challenge, resource: 'https://api.example.com/?a=1' },
            'resource must not include a query component',
          ],
          [{ ...challenge, code_challenge: 'x'.repeat(42) }, length],
          [{ ...challenge, code_challenge: 'x'.repeat(129) }, length],
          [{ code_challenge: challenge.code_challenge }, both],
          [{ code_challenge_method: 's256' }, both],
        ];
        for (const [query, description] of faults) {
          const response = await authorize(context, application, query);
          assertStatus(response, 302);
          const location = locationOf(response);
          assert.equal(
            location.origin + location.pathname,
            application.redirectUri,
            'the page of the redirect',
          );
          assert.deepEqual(
            Object.fromEntries(location.searchParams),
            { error: 'invalid_request', error_description: description, state: 'own state' },
            `the query of the redirect with ${Object.keys(query).join()}`,
          );
        }
      }),
  ),
  audit(
    'AUTH-1106',
    'an authorization request of an unknown application, or to a foreign page, is not redirected',
    options,
    (context) =>
      withApplication(context, {}, async (application) => {
        const { challenge } = context.newPkce();
        const foreign = { ...challenge, redirect_uri: `${application.redirectUri}/other` };
        assertError(await authorize(context, application, foreign), 400, 'validation_failed');
        for (const unnamed of [{ redirect_uri: '' }, { client_id: '' }])
          assertError(
            await authorize(context, application, { ...challenge, ...unnamed }),
            400,
            'validation_failed',
          );
        for (const client_id of ['no-uuid', crypto.randomUUID()])
          assertError(
            await authorize(context, application, { ...challenge, client_id }),
            400,
            'oauth_client_not_found',
          );
      }),
  ),
  audit(
    'AUTH-1107',
    'the page of the consent reads who asks for what, and the user answers once',
    options,
    (context) =>
      withApplication(context, {}, async (application) => {
        const [user, other] = [await context.newUser(), await context.newUser()];
        const id = await begin(context, application, context.newPkce(), 'email profile');
        const { json } = await read(context, user, id);
        assert.deepEqual(
          [at(json, 'client', 'id'), at(json, 'scope'), at(json, 'redirect_uri'), at(json, 'user')],
          [application.id, 'email profile', application.redirectUri, { id: user.id, email: user.email }],
          'client.id, scope, redirect_uri and user',
        );
        assert.equal(
          at(json, 'client', 'name'),
          at(application.registered.json, 'client_name'),
          'client.name',
        );
        for (const response of [await read(context, other, id), await decide(context, other, id, 'approve')])
          assertError(response, 404, 'oauth_authorization_not_found');
        assertError(await decide(context, user, id, 'maybe'), 400, 'validation_failed');
        const denied = new URL(textAt(await decide(context, user, id, 'deny'), 'redirect_url'));
        assert.deepEqual(
          ['error', 'state', 'code'].map((name) => denied.searchParams.get(name)),
          ['access_denied', 'own state', null],
          'error, state and code of the redirect',
        );
        assertError(await decide(context, user, id, 'approve'), 400, 'validation_failed');
      }),
  ),
  audit(
    'AUTH-1108',
    'the code of a consent is exchanged once, by its application with the verifier',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const pkce = context.newPkce();
        const code = await approve(context, user, application, pkce, 'email');
        const body = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
        const request = (change: object) => requestTokens(context, application, { ...body, ...change });
        for (const [change, error, description] of refusals)
          assertOAuthError(await request(change), error, description);
        for (const body of ['{', ''])
          assertError(await context.auth.send('POST', '/oauth/token', { body }), 400, 'invalid_credentials');
        for (const wrong of [
          { client_secret: 'wrong' },
          { client_secret: '' },
          { client_id: 'no-uuid' },
          { client_id: '' },
          { client_id: 1 },
        ])
          assertError(await request(wrong), 400, 'invalid_credentials');
        await withApplication(context, posting, async (other) => {
          const refused = await requestTokens(context, other, body);
          assertOAuthError(refused, 'invalid_grant', 'Authorization code was not issued for this client');
        });
        const exchange = () => request({ redirect_uri: application.redirectUri });
        const tokens = await exchange();
        assertStatus(tokens, 200);
        const claims = jwtPartOf(textAt(tokens, 'access_token'));
        assert.deepEqual(
          [at(claims, 'sub'), at(claims, 'client_id'), at(tokens.json, 'token_type')],
          [user.id, application.id, 'bearer'],
          'sub and client_id of the claims, and token_type',
        );
        assert.deepEqual(
          [at(tokens.json, 'user'), at(tokens.json, 'id_token')],
          [undefined, undefined],
          'user and id_token of the response',
        );
        assertOAuthError(await exchange(), 'invalid_grant', unknown);
      }),
  ),
  audit(
    'AUTH-1109',
    'with the scope openid the tokens have an ID token with the claims of the scopes',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const keySet = await context.auth.send('GET', '/.well-known/jwks.json');
        if (at(keySet.json, 'keys', 0) === undefined)
          throw new NotRunError('ID tokens are not signed with a shared secret');
        const user = await context.newUser();
        const phone = context.newPhone();
        const user_metadata = { name: 'Ada', avatar_url: 'a.png', preferred_username: 'ada' };
        const changes = { user_metadata, phone, phone_confirm: true };
        assertStatus(await context.admin('PUT', `/users/${user.id}`, changes), 200);
        // A consent with fewer scopes comes first, because it covers none of the later ones.
        for (const [scope, expected] of [
          ['openid', { email_verified: false, phone_number_verified: false }],
          ['openid email', { email: user.email, email_verified: true, phone_number_verified: false }],
          ['openid phone', { email_verified: false, phone_number: phone, phone_number_verified: true }],
          [
            'openid profile',
            {
              email_verified: false,
              phone_number_verified: false,
              name: 'Ada',
              picture: 'a.png',
              preferred_username: 'ada',
            },
          ],
        ] as const) {
          const tokens = await signIn(context, user, application, scope);
          const claims = jwtPartOf(textAt(tokens, 'id_token'));
          const { iat, exp, auth_time, updated_at, ...rest } = claims as Readonly<Record<string, unknown>>;
          assert.deepEqual(
            rest,
            {
              iss: at(jwtPartOf(textAt(tokens, 'access_token')), 'iss'),
              sub: user.id,
              aud: application.id,
              client_id: application.id,
              nonce: 'own nonce',
              ...expected,
            },
            `the claims of the ID token for ${scope}`,
          );
          assert.equal(Number(exp) - Number(iat), 3600, 'the lifetime of the ID token in seconds');
          for (const seconds of [iat, auth_time, ...(scope === 'openid profile' ? [updated_at] : [])])
            assert.ok(
              Math.abs(Number(seconds) - Date.now() / 1000) < 600,
              'iat, auth_time and updated_at are in the present',
              String(seconds),
            );
          if (scope !== 'openid profile') assert.equal(updated_at, undefined, 'updated_at of the ID token');
        }
      }),
  ),
  audit('AUTH-1110', 'userinfo has the claims of the scopes, and no others', options, (context) =>
    withApplication(context, posting, async (application) => {
      const user = await context.newUser();
      const infoOf = async (scope: string) => {
        const token = textAt(await signIn(context, user, application, scope), 'access_token');
        return (await context.auth.send('GET', '/oauth/userinfo', { token })).json;
      };
      const byEmail = { sub: user.id, email: user.email, email_verified: true };
      assert.deepEqual(await infoOf('email'), byEmail, 'the claims of email');
      const info = await infoOf('profile');
      assert.deepEqual(
        [at(info, 'sub'), at(info, 'name'), at(info, 'email')],
        [user.id, user.email, undefined],
        'sub, name and email of profile',
      );
    }),
  ),
  audit('AUTH-1111', 'only the application itself refreshes its session', options, (context) =>
    withApplication(context, posting, async (application) => {
      const user = await context.newUser();
      const refresh_token = textAt(await signIn(context, user, application, 'email'), 'refresh_token');
      const body = { grant_type: 'refresh_token', refresh_token };
      const own = await context.auth.send('POST', '/token', {
        query: { grant_type: 'refresh_token' },
        body: { refresh_token },
      });
      assertOAuthError(own, 'invalid_client', 'Client authentication required for OAuth session');
      await withApplication(context, posting, async (other) => {
        const refused = await requestTokens(context, other, body);
        assertOAuthError(refused, 'invalid_client', "Client does not match the session's OAuth client");
      });
      const foreign = await requestTokens(context, application, {
        ...body,
        refresh_token: user.refreshToken,
      });
      const message = 'Client authentication not allowed for non-OAuth session';
      assertOAuthError(foreign, 'invalid_client', message);
      const refreshed = await requestTokens(context, application, body);
      assertStatus(refreshed, 200);
      const claims = jwtPartOf(textAt(refreshed, 'access_token'));
      assert.equal(at(claims, 'client_id'), application.id, 'client_id of the claims');
    }),
  ),
  audit(
    'AUTH-1112',
    'a user lists the applications with access, is not asked again, and ends their sessions',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const token = textAt(await signIn(context, user, application, 'email profile'), 'access_token');
        const path = '/user/oauth/grants';
        const grants = await context.auth.send('GET', path, { token: user.accessToken });
        assert.deepEqual(
          [at(grants.json, 0, 'client', 'id'), at(grants.json, 0, 'scopes')],
          [application.id, ['email', 'profile']],
          'client.id and scopes of the grant',
        );
        const again = await begin(context, application, context.newPkce(), 'email');
        const approved = new URL(textAt(await read(context, user, again), 'redirect_url'));
        assert.ok(approved.searchParams.get('code'), 'a request within the grant has a code at once');
        const more = await begin(context, application, context.newPkce(), 'email phone');
        assert.equal(
          at((await read(context, user, more)).json, 'scope'),
          'email phone',
          'scope of a wider request',
        );
        const revoke = () =>
          context.auth.send('DELETE', path, {
            token: user.accessToken,
            query: { client_id: application.id },
          });
        assertStatus(await revoke(), 204);
        assertError(await revoke(), 404, 'oauth_consent_not_found');
        assertError(await context.auth.send('GET', '/user', { token }), 403, 'session_not_found');
        assertStatus(await context.auth.send('GET', '/user', { token: user.accessToken }), 200);
      }),
  ),
];

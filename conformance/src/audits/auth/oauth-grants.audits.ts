import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, jwtPartOf, locationOf, textAt } from '../../target/wire.ts';
import {
  approve,
  assertOAuthError,
  authorize,
  begin,
  decide,
  isTime,
  posting,
  read,
  requestTokens,
  signIn,
  withApplication,
} from './oauth-application.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#oauth-server', needs: ['service-key'], since: '1.0.0' } as const;

const pages = { client_uri: 'https://app.example.com/about', logo_uri: 'https://app.example.com/logo.png' };

const grantsPath = '/user/oauth/grants';

/** How an application names itself and its secret in a request for tokens. */
interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

const withBasic = (id: string, secret: string): Credentials => ({
  headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
  fields: {},
});

const inForm = (id: string, secret: string): Credentials => ({
  headers: {},
  fields: { client_id: id, client_secret: secret },
});

const withoutSecret = (id: string): Credentials => ({ headers: {}, fields: { client_id: id } });

/** Asserts that an application has tokens with the credentials of its registration, and with no others. */
async function assertAuthenticates(
  context: AuditContext,
  token_endpoint_auth_method: string,
  registered: (id: string, secret: string) => Credentials,
  other: (id: string, secret: string) => Credentials,
): Promise<void> {
  await withApplication(context, { token_endpoint_auth_method }, async (application) => {
    const pkce = context.newPkce();
    const code = await approve(context, await context.newUser(), application, pkce, 'email');
    const request = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
    const send = ({ headers, fields }: Credentials) =>
      context.auth.send('POST', '/oauth/token', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ ...request, ...fields }).toString(),
      });
    const { id, secret } = application;
    assertError(await send(other(id, secret || 'none')), 400, 'invalid_credentials');
    for (const encoded of [Buffer.from(id).toString('base64'), 'no base64', ''])
      assertError(
        await send({ headers: { Authorization: `Basic ${encoded}` }, fields: {} }),
        400,
        'invalid_credentials',
      );
    assertStatus(await send(registered(id, secret)), 200);
  });
}

/** What applications may do, and see of a user. */
export const oauthGrantAudits: readonly Audit[] = [
  audit(
    'AUTH-1118',
    'a user sees the application of a request with its pages, and only from an allowed page',
    options,
    (context) =>
      withApplication(context, pages, async (application) => {
        const user = await context.newUser();
        const id = await begin(context, application, context.newPkce(), 'email');
        const path = `/oauth/authorizations/${id}`;
        const headers = { Origin: 'https://evil.example.net' };
        const token = user.accessToken;
        for (const response of [
          await context.auth.send('GET', path, { token, headers }),
          await context.auth.send('POST', `${path}/consent`, { token, headers, body: { action: 'approve' } }),
        ])
          assertError(response, 400, 'validation_failed');
        const { json } = await read(context, user, id);
        assert.deepEqual(
          [at(json, 'authorization_id'), at(json, 'client', 'uri'), at(json, 'client', 'logo_uri')],
          [id, pages.client_uri, pages.logo_uri],
          'authorization_id, client.uri and client.logo_uri',
        );
        assertError(await context.auth.send('GET', path), 401, 'no_authorization');
      }),
  ),
  audit(
    'AUTH-1119',
    'an authorization request without a scope asks for email, and each scope of the service is known',
    options,
    (context) =>
      withApplication(context, {}, async (application) => {
        const user = await context.newUser();
        const scopeOf = async (query: Readonly<Record<string, string>>) => {
          const begun = await authorize(context, application, { ...context.newPkce().challenge, ...query });
          const id = locationOf(begun).searchParams.get('authorization_id') ?? '';
          return at((await read(context, user, id)).json, 'scope');
        };
        assert.equal(await scopeOf({}), 'email', 'scope of a request without a scope');
        for (const scope of ['openid', 'profile', 'email', 'phone'])
          assert.equal(await scopeOf({ scope }), scope, 'scope of the request');
      }),
  ),
  audit(
    'AUTH-1120',
    'an authorization request and its code end with their time',
    { ...options, needs: ['service-key', 'database'] },
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const expire = () =>
          context.query(
            "update auth.oauth_authorizations set created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day' where client_id = $1",
            [application.id],
          );
        const id = await begin(context, application, context.newPkce(), 'email');
        await expire();
        assertError(await read(context, user, id), 404, 'oauth_authorization_not_found');
        assertError(await decide(context, user, id, 'approve'), 404, 'oauth_authorization_not_found');
        const pkce = context.newPkce();
        const code = await approve(context, user, application, pkce, 'email');
        await expire();
        const body = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
        const refused = await requestTokens(context, application, body);
        assertOAuthError(refused, 'invalid_grant', 'Authorization code has expired');
      }),
  ),
  audit(
    'AUTH-1121',
    'an application that is registered for Basic authenticates with Basic alone',
    options,
    (context) => assertAuthenticates(context, 'client_secret_basic', withBasic, inForm),
  ),
  audit(
    'AUTH-1129',
    'an application that is registered for its secret in a form authenticates with the form alone',
    options,
    (context) => assertAuthenticates(context, 'client_secret_post', inForm, withoutSecret),
  ),
  audit('AUTH-1130', 'a public application authenticates by its id alone', options, (context) =>
    assertAuthenticates(context, 'none', withoutSecret, withBasic),
  ),
  audit(
    'AUTH-1122',
    'the tokens of an application have its scopes in the claims, and are renewed without a user',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const tokens = await signIn(context, user, application, 'email profile');
        const refresh_token = textAt(tokens, 'refresh_token');
        const body = { grant_type: 'refresh_token', refresh_token };
        const renewed = await requestTokens(context, application, body);
        for (const response of [tokens, renewed]) {
          assertStatus(response, 200);
          const claims = jwtPartOf(textAt(response, 'access_token'));
          assert.deepEqual(
            [at(claims, 'scope'), at(claims, 'sub'), at(claims, 'aud'), at(claims, 'role')],
            ['email profile', user.id, 'authenticated', 'authenticated'],
            'scope, sub, aud and role of the claims',
          );
          assert.deepEqual(
            [at(response.json, 'token_type'), at(response.json, 'user')],
            ['bearer', undefined],
            'token_type and user of the response',
          );
          assert.ok(Number(at(response.json, 'expires_in')) > 0, 'expires_in is a positive number');
        }
        assert.equal(
          at(jwtPartOf(textAt(renewed, 'access_token')), 'session_id'),
          at(jwtPartOf(textAt(tokens, 'access_token')), 'session_id'),
          'session_id of the renewed token',
        );
      }),
  ),
  audit(
    'AUTH-1123',
    'userinfo has the profile, the number and their metadata for the scopes that ask for them',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const phone = context.newPhone();
        const user_metadata = { name: 'Ada', picture: 'a.png', preferred_username: 'ada' };
        const changes = { user_metadata, phone, phone_confirm: true };
        assertStatus(await context.admin('PUT', `/users/${user.id}`, changes), 200);
        const infoOf = async (scope: string) => {
          const token = textAt(await signIn(context, user, application, scope), 'access_token');
          return (await context.auth.send('GET', '/oauth/userinfo', { token })).json;
        };
        const profile = await infoOf('profile');
        for (const [claim, value] of Object.entries(user_metadata)) {
          assert.equal(at(profile, claim), value, `${claim} of the scope profile`);
          assert.equal(at(profile, 'user_metadata', claim), value, `user_metadata.${claim}`);
        }
        assert.ok(Number(at(profile, 'updated_at')) > 1.6e9, 'updated_at is in seconds');
        assert.deepEqual(
          [at(profile, 'phone'), at(profile, 'email')],
          [undefined, undefined],
          'phone and email of the scope profile',
        );
        assert.deepEqual(
          await infoOf('phone'),
          { sub: user.id, phone, phone_verified: true },
          'the claims of the scope phone',
        );
        assertError(await context.auth.send('GET', '/oauth/userinfo'), 401, 'no_authorization');
      }),
  ),
  audit(
    'AUTH-1124',
    'a grant names the application with its pages and the time of the consent, the newest first',
    options,
    (context) =>
      withApplication(context, { ...posting, ...pages }, async (older) =>
        withApplication(context, posting, async (newer) => {
          const user = await context.newUser();
          for (const application of [older, newer]) await signIn(context, user, application, 'email');
          const { json } = await context.auth.send('GET', grantsPath, { token: user.accessToken });
          assert.deepEqual(
            (json as readonly unknown[]).map((grant) => at(grant, 'client', 'id')),
            [newer.id, older.id],
            'the applications of the grants',
          );
          assert.deepEqual(
            at(json, 1, 'client'),
            {
              id: older.id,
              name: textAt(older.registered, 'client_name'),
              uri: pages.client_uri,
              logo_uri: pages.logo_uri,
            },
            'the application of a grant',
          );
          assert.ok(isTime(at(json, 0, 'granted_at')), 'granted_at is a time');
        }),
      ),
  ),
  audit(
    'AUTH-1125',
    'a grant is ended by the id of its application, in a session of the user alone',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const [user, other] = [await context.newUser(), await context.newUser()];
        await signIn(context, user, application, 'email');
        const end = (token: string, query: Readonly<Record<string, string>>) =>
          context.auth.send('DELETE', grantsPath, { token, query });
        for (const query of [{}, { client_id: 'no-uuid' }])
          assertError(await end(user.accessToken, query), 400, 'validation_failed');
        const foreign = await end(other.accessToken, { client_id: application.id });
        assertError(foreign, 404, 'oauth_consent_not_found');
        for (const method of ['GET', 'DELETE'])
          assertError(await context.auth.send(method, grantsPath), 401, 'no_authorization');
        assertStatus(await end(user.accessToken, { client_id: application.id }), 204);
        const log = await context.admin('GET', '/audit?query=action:token_revoked&per_page=1000');
        const entries = Array.isArray(log.json) ? (log.json as readonly unknown[]) : [];
        const own = entries.find((entry) => at(entry, 'payload', 'actor_id') === user.id);
        if (own === undefined && entries.length === 0) return;
        const traits = { oauth_client_id: application.id, action: 'revoke_oauth_grant' };
        assert.deepEqual(at(own, 'payload', 'traits'), traits, 'the traits of the entry in the log');
      }),
  ),
  audit(
    'AUTH-1126',
    'a removed application begins nothing, has no tokens and is no grant any more',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const tokens = await signIn(context, user, application, 'email');
        assertStatus(await context.admin('DELETE', `/oauth/clients/${application.id}`), 204);
        const begun = await authorize(context, application, context.newPkce().challenge);
        assertError(begun, 400, 'oauth_client_not_found');
        const refresh_token = textAt(tokens, 'refresh_token');
        const renewed = await requestTokens(context, application, {
          grant_type: 'refresh_token',
          refresh_token,
        });
        assertError(renewed, 400, 'invalid_credentials');
        const grants = await context.auth.send('GET', grantsPath, { token: user.accessToken });
        assert.deepEqual(grants.json, [], 'the grants of the user');
      }),
  ),
  audit(
    'AUTH-1127',
    'a banned user has no tokens of an application, and neither does another resource',
    options,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const pkce = context.newPkce();
        const code = await approve(context, user, application, pkce, 'email');
        const body = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
        const foreign = { ...body, resource: 'https://api.example.com/' };
        assertOAuthError(
          await requestTokens(context, application, foreign),
          'invalid_grant',
          'Authorization code resource does not match the resource parameter',
        );
        assertStatus(await context.admin('PUT', `/users/${user.id}`, { ban_duration: '1h' }), 200);
        const refused = await requestTokens(context, application, body);
        assertOAuthError(refused, 'access_denied', 'User is banned');
      }),
  ),
  audit('AUTH-1128', 'an application with one grant has no tokens by the other', options, (context) =>
    withApplication(context, { ...posting, grant_types: ['authorization_code'] }, async (application) => {
      const user = await context.newUser();
      const refresh_token = textAt(await signIn(context, user, application, 'email'), 'refresh_token');
      const refused = await requestTokens(context, application, {
        grant_type: 'refresh_token',
        refresh_token,
      });
      const message = 'Client is not allowed to use grant type: refresh_token';
      assertOAuthError(refused, 'unsupported_grant_type', message);
    }),
  ),
];

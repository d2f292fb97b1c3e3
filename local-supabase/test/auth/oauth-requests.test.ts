import { beforeAll, describe, expect, it } from 'vitest';

import { openAuthWorld, type AuthResponse } from './auth-world.ts';
import {
  basic,
  challenge,
  form,
  openOAuthApplication,
  redirectUri,
  targetOf,
  verifier,
  type OAuthApplication,
} from './oauth-application.ts';

let app: OAuthApplication;
beforeAll(async () => {
  app = await openOAuthApplication();
});

describe('an authorization request', () => {
  it.each([
    [{ client_id: '' }, 'validation_failed', 'client_id is required'],
    [{ client_id: 'x' }, 'oauth_client_not_found', 'invalid client_id format'],
    [{ client_id: '00000000-0000-4000-8000-000000000000' }, 'oauth_client_not_found', 'invalid client_id'],
    [{ redirect_uri: '' }, 'validation_failed', 'redirect_uri is required'],
    [{ redirect_uri: `${redirectUri}/` }, 'validation_failed', 'invalid redirect_uri'],
  ])('with %j is refused without a redirect', async (params, code, message) => {
    const { status, body } = await app.authorize(params);
    expect({ status, ...body }).toEqual({ status: 400, code, message });
  });

  it.each([
    [{ response_type: 'token' }, 'only response_type=code is supported'],
    [{ scope: 'email admin' }, 'unsupported scope: admin'],
    [{ code_challenge: '' }, 'PKCE flow requires both code_challenge and code_challenge_method'],
    [{ code_challenge_method: 'S512' }, "code_challenge_method must be 'S256' or 'plain'"],
    [{ code_challenge: 'short' }, 'code_challenge must be between 43 and 128 characters'],
    [{ resource: 'api' }, 'resource must be an absolute URI'],
    [{ resource: 'https://a b/' }, 'resource must be a valid URI'],
    [{ resource: 'https://api.example/#x' }, 'resource must not include a fragment component'],
    [{ resource: 'https://api.example/?x' }, 'resource must not include a query component'],
  ])('with %j redirects to the application with an error', async (params, description) => {
    const { status, location } = await app.authorize(params);
    expect([status, Object.fromEntries(location.searchParams)]).toEqual([
      302,
      { error: 'invalid_request', error_description: description, state: 'a state~*' },
    ]);
  });

  it('with a state above the limit of the table ends with a server error', async () => {
    const { location } = await app.authorize({ state: 'x'.repeat(5000) });
    expect(location.searchParams.get('error')).toBe('server_error');
  });

  it('belongs to the user who opened it, on a page of the project', async () => {
    const id = await app.begin({ scope: 'email phone' });
    const notFound = { code: 'oauth_authorization_not_found', message: 'authorization not found' };
    expect((await app.decide(id, 'approve')).body).toEqual(notFound);
    await app.read(id);
    const { access_token: other } = await app.world.signedUp();
    expect((await app.read(id, other)).body).toEqual(notFound);
    expect((await app.decide(id, 'approve', other)).body).toEqual(notFound);
    expect((await app.decide(id, 'later')).body.message).toBe("action must be 'approve' or 'deny'");
    const foreign = await app.world.get(`/oauth/authorizations/${id}`, {
      token: app.token,
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.body.message).toBe('unauthorized request origin');
    expect((await app.world.get(`/oauth/authorizations/${id}`)).status).toBe(401);
  });

  it('and its code expire after ten minutes', async () => {
    const clock = await openAuthWorld();
    const { access_token: owner } = await clock.signedUp();
    const ask = async (): Promise<string> => {
      const params = { client_id: app.client.client_id, redirect_uri: redirectUri, scope: 'phone' };
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
      const { location } = await clock.get(`/oauth/authorize?${form({ ...params, ...pkce })}`);
      return `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
    };
    const late = await ask();
    const approved = await ask();
    await clock.get(approved, { token: owner });
    const code = targetOf(await clock.post(`${approved}/consent`, { action: 'approve' }, { token: owner }));
    clock.advance(601);
    expect((await clock.get(late, { token: owner })).status).toBe(404);
    const grant = {
      grant_type: 'authorization_code',
      code: code.searchParams.get('code'),
      code_verifier: verifier,
    };
    const headers = { authorization: basic(app.client) };
    expect((await clock.post('/oauth/token', grant, { headers })).body).toMatchObject({
      error_description: 'Authorization code has expired',
    });
    const rows = await clock.database.query(
      'select status from auth.oauth_authorizations where authorization_id = $1',
      [late.split('/').at(-1)],
    );
    expect(rows).toEqual([{ status: 'expired' }]);
  });
});

describe('the token endpoint', () => {
  it.each([
    [
      { code_verifier: '' },
      'PKCE verification failed: code_verifier is required when PKCE challenge is present',
    ],
    [
      { code_verifier: 'another' },
      'PKCE verification failed: code challenge does not match previously saved code verifier',
    ],
    [{ redirect_uri: 'https://tool.example/other' }, 'Invalid redirect_uri'],
  ])('refuses a code with %j, which stays valid', async (fields, description) => {
    const code = await app.obtainCode();
    const { status, body } = await app.exchangeCode(code, fields);
    expect({ status, ...body }).toEqual({
      status: 400,
      error: 'invalid_grant',
      error_description: description,
    });
    expect((await app.exchangeCode(code)).status).toBe(200);
  });

  it('refuses the code, and the refresh token, of another application', async () => {
    const other = await app.register();
    const code = await app.obtainCode();
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier };
    expect((await app.exchange(grant, basic(other))).body).toMatchObject({
      error_description: 'Authorization code was not issued for this client',
    });
    const { body } = await app.exchangeCode(code);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await app.exchange(refresh, basic(other))).body).toEqual({
      error: 'invalid_client',
      error_description: "Client does not match the session's OAuth client",
    });
    expect((await app.world.post('/token?grant_type=refresh_token', refresh)).body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication required for OAuth session',
    });
    const own = { ...refresh, refresh_token: (await app.world.signedUp()).refresh_token };
    expect((await app.exchange(own)).body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication not allowed for non-OAuth session',
    });
  });

  it.each([
    [{}, 'invalid_request', 'grant_type is required'],
    [
      { grant_type: 'password' },
      'unsupported_grant_type',
      'Client is not allowed to use grant type: password',
    ],
    [
      { grant_type: 'authorization_code' },
      'invalid_request',
      'code is required for authorization_code grant',
    ],
    [{ grant_type: 'refresh_token' }, 'invalid_request', 'refresh_token is required for refresh_token grant'],
  ])('refuses %j', async (fields, error, description) => {
    expect((await app.exchange(fields)).body).toEqual({ error, error_description: description });
  });

  it('refuses clients that authenticate by another method than they registered', async () => {
    const refusalOf = async (response: Promise<AuthResponse>) => {
      const { status, body } = await response;
      return [status, body.code, body.message];
    };
    const refused = (message: string) => [400, 'invalid_credentials', message];
    const { client_id: id, client_secret: secret } = app.client;
    const wrong = basic({ client_id: id, client_secret: 'wrong' });
    expect(await refusalOf(app.exchange({}, wrong))).toEqual(refused('invalid client credentials'));
    expect(await refusalOf(app.exchange({}, 'Basic *'))).toEqual(
      refused('Invalid client credentials: invalid basic auth encoding'),
    );
    expect(await refusalOf(app.exchange({}, ''))).toEqual(
      refused('Invalid client credentials: client_id is required'),
    );
    expect(await refusalOf(app.exchange({ client_id: 'x' }, ''))).toEqual(
      refused('Invalid client_id format'),
    );
    expect(await refusalOf(app.exchange({ client_id: id, client_secret: secret }, ''))).toEqual(
      refused(
        "invalid authentication method: client is registered for 'client_secret_basic' but 'client_secret_post' was used",
      ),
    );
    expect((await app.exchange({ grant_type: 'x' }, 'Basic Og==')).body).toMatchObject({
      error: 'invalid_client',
    });
  });
});

describe('the settings of the OAuth server', () => {
  it('disable it, or only registration', async () => {
    const off = await openAuthWorld({ oauthServerEnabled: false });
    const admin = { token: off.keys.serviceRoleKey };
    const { access_token: user } = await off.signedUp();
    const responses = [
      await off.get('/oauth/authorize'),
      await off.get('/.well-known/oauth-authorization-server'),
      await off.get('/admin/oauth/clients', admin),
      await off.get('/user/oauth/grants', { token: user }),
    ];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(
      responses.map(() => [404, 'feature_disabled']),
    );
    const closed = await openAuthWorld({ oauthDynamicRegistrationEnabled: false });
    expect(await closed.post('/oauth/clients/register', { redirect_uris: [redirectUri] })).toMatchObject({
      status: 403,
      body: { code: 'oauth_dynamic_client_registration_disabled' },
    });
    expect((await closed.get('/.well-known/oauth-authorization-server')).body).not.toHaveProperty(
      'registration_endpoint',
    );
  });

  it('without a consent page make requests end with a server error', async () => {
    const bare = await openAuthWorld({ oauthAuthorizationPath: '' });
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const params = { client_id: app.client.client_id, redirect_uri: redirectUri, ...pkce };
    const { location } = await bare.get(`/oauth/authorize?${form(params)}`);
    expect(location.searchParams.get('error_description')).toBe('oauth authorization path not configured');
  });

  it('are published in both discovery documents', async () => {
    const [openId, oauth] = [
      await app.world.get('/.well-known/openid-configuration'),
      await app.world.get('/.well-known/oauth-authorization-server'),
    ];
    expect(oauth.body).toEqual(openId.body);
    expect(oauth.body).toMatchObject({
      registration_endpoint: 'http://project.test/auth/v1/oauth/clients/register',
    });
  });

  it('limit registrations by address', async () => {
    const limited = await openAuthWorld({ rateLimits: {} });
    const wanted = { redirect_uris: [redirectUri] };
    for (let count = 0; count < 30; count += 1)
      expect((await limited.post('/oauth/clients/register', wanted)).status).toBe(201);
    expect((await limited.post('/oauth/clients/register', wanted)).status).toBe(429);
  });
});

import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import {
  type Answer,
  type AuthWorld,
  createVerifier,
  openAuthWorld,
  password,
  readClaims,
} from './auth-world.ts';

const redirectUri = 'https://tool.example/callback';
const [form, formType] = [
  (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString(),
  'application/x-www-form-urlencoded',
];
const { verifier, challenge } = createVerifier();

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

let world: AuthWorld;
let client: Client;
let token: string;
let userId: string;

const bodyOf = ({ body }: Answer): Readonly<Record<string, unknown>> =>
  body as unknown as Readonly<Record<string, unknown>>;
const register = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Client> => {
  const wanted = { redirect_uris: [redirectUri], client_name: 'Tool', ...fields };
  return (await world.post('/oauth/clients/register', wanted)).body as unknown as Client;
};
const registerPublic = async (): Promise<Client> => register({ token_endpoint_auth_method: 'none' });
const authorize = async (params: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  world.get(
    `/oauth/authorize?${form({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state: 'a state~*',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...params,
    })}`,
  );
const begin = async (params?: Readonly<Record<string, string>>): Promise<string> =>
  (await authorize(params)).location.searchParams.get('authorization_id') ?? '';
const read = async (id: string, as = token): Promise<Answer> =>
  world.get(`/oauth/authorizations/${id}`, { token: as });
const decide = async (id: string, action: string, as = token): Promise<Answer> =>
  world.post(`/oauth/authorizations/${id}/consent`, { action }, { token: as });
const targetOf = (answer: Answer): URL => new URL(String(bodyOf(answer)['redirect_url']));
/** Obtains a code: by consent, or at once when an earlier consent covers the scopes. */
const obtainCode = async (params?: Readonly<Record<string, string>>): Promise<string> => {
  const id = await begin(params);
  const opened = await read(id);
  const target = targetOf('redirect_url' in opened.body ? opened : await decide(id, 'approve'));
  return target.searchParams.get('code') ?? '';
};
const basic = ({ client_id: id, client_secret: secret }: Client): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const exchange = async (
  fields: Readonly<Record<string, string>>,
  authorization = basic(client),
): Promise<Answer> =>
  world.post('/oauth/token', form(fields), { headers: { 'content-type': formType, authorization } });
const exchangeCode = async (code: string, fields = {}): Promise<Answer> =>
  exchange({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...fields,
  });

beforeAll(async () => {
  world = await openAuthWorld();
  client = await register();
  const session = await world.signedUp();
  [token, userId] = [session.access_token, session.user.id];
});

describe('an application that signs users in', () => {
  it('asks on the page of the site, and gets tokens that are refreshed and revoked', async () => {
    const begun = await authorize({ nonce: 'a nonce' });
    expect([begun.status, begun.location.origin + begun.location.pathname]).toEqual([
      302,
      'http://localhost:5173/oauth/consent',
    ]);
    const id = begun.location.searchParams.get('authorization_id') ?? '';
    expect(bodyOf(await read(id))).toMatchObject({
      authorization_id: id,
      redirect_uri: redirectUri,
      client: { id: client.client_id, name: 'Tool' },
      user: { id: userId },
      scope: 'openid email profile',
    });
    const target = targetOf(await decide(id, 'approve'));
    expect(target.search).toContain('&state=a+state~%2A');
    expect(target.searchParams.get('state')).toBe('a state~*');
    const code = target.searchParams.get('code') ?? '';
    const issued = await exchangeCode(code);
    expect(Object.keys(issued.body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'token_type',
    ]);
    expect(readClaims(issued.body.access_token)).toMatchObject({
      sub: userId,
      client_id: client.client_id,
      scope: 'openid email profile',
      amr: [{ method: 'oauth_provider/authorization_code' }],
    });
    const { email } = readClaims(issued.body.access_token);
    expect(readClaims(issued.body.id_token)).toMatchObject({
      iss: 'http://project.test/auth/v1',
      aud: client.client_id,
      sub: userId,
      nonce: 'a nonce',
      email,
      email_verified: true,
      phone_number_verified: false,
      name: email,
    });
    expect((await exchangeCode(code)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid authorization code',
    });
    const { body: refreshed } = await exchange({
      grant_type: 'refresh_token',
      refresh_token: issued.body.refresh_token,
    });
    expect(refreshed).not.toHaveProperty('user');
    const { body: info } = await world.get('/oauth/userinfo', { token: refreshed.access_token });
    expect(info).toMatchObject({ sub: userId, email, email_verified: true, name: email });
    const grants = await world.get('/user/oauth/grants', { token });
    expect(grants.body).toMatchObject([
      { client: { id: client.client_id, name: 'Tool' }, scopes: ['openid', 'email', 'profile'] },
    ]);
    const grant = `/user/oauth/grants?client_id=${client.client_id}`;
    expect((await world.ask('DELETE', grant, undefined, { token })).status).toBe(204);
    expect((await world.ask('DELETE', grant, undefined, { token })).body.code).toBe(
      'oauth_consent_not_found',
    );
    expect((await world.get('/oauth/userinfo', { token: refreshed.access_token })).body.code).toBe(
      'session_not_found',
    );
    expect((await world.get('/user/oauth/grants', { token })).body).toEqual([]);
  });

  it('is not asked about again while an earlier consent covers the scopes', async () => {
    await obtainCode();
    expect((await read(await begin({ scope: 'email' }))).body).toHaveProperty('redirect_url');
    expect((await read(await begin({ scope: 'email phone' }))).body).not.toHaveProperty('redirect_url');
  });

  it('gets no ID token without the scope openid, and no more of the user than its scopes allow', async () => {
    const { body } = await exchangeCode(await obtainCode({ scope: 'phone' }));
    expect(body).not.toHaveProperty('id_token');
    expect((await world.get('/oauth/userinfo', { token: body.access_token })).body).toEqual({ sub: userId });
  });

  it('proves a plain challenge and is public without a secret', async () => {
    const tool = await registerPublic();
    expect(tool).not.toHaveProperty('client_secret');
    const params = { client_id: tool.client_id, code_challenge: verifier, code_challenge_method: 'plain' };
    const grant = {
      grant_type: 'authorization_code',
      code: await obtainCode(params),
      code_verifier: verifier,
    };
    const { status } = await world.post('/oauth/token', { ...grant, client_id: tool.client_id });
    expect(status).toBe(200);
  });

  it('learns that the user denied the request', async () => {
    const id = await begin({ scope: 'email phone' });
    await read(id);
    expect(Object.fromEntries(targetOf(await decide(id, 'deny')).searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'User denied the request',
      state: 'a state~*',
    });
    expect((await decide(id, 'approve')).body.message).toBe('authorization request is no longer pending');
  });
});

describe('what the auth service leaves to a project', () => {
  it('a token and an ID token of an application change the account, as those of the user', async () => {
    const { body } = await exchangeCode(await obtainCode());
    const change = (bearer: string) =>
      world.ask('PUT', '/user', { data: { name: 'Eve' } }, { token: bearer });
    expect((await change(body.access_token)).status).toBe(200);
    expect((await change(body.id_token)).status).toBe(200);
    const factor = { factor_type: 'totp', friendly_name: crypto.randomUUID() };
    expect((await world.post('/factors', factor, { token: body.access_token })).status).toBe(200);
  });

  it('a code is exchanged after its user has signed out everywhere and taken the grant back', async () => {
    const user = await world.signedUp();
    const id = await begin();
    await read(id, user.access_token);
    const target = targetOf(await decide(id, 'approve', user.access_token));
    const path = `/user/oauth/grants?client_id=${client.client_id}`;
    expect((await world.ask('DELETE', path, undefined, { token: user.access_token })).status).toBe(204);
    expect((await world.post('/logout', {}, { token: user.access_token })).status).toBe(204);
    expect((await exchangeCode(target.searchParams.get('code') ?? '')).status).toBe(200);
  });

  it('a session that has not used the second factor of its account signs in to an application', async () => {
    const { access_token: first, user } = await world.signedUp();
    const { body: factor } = await world.post('/factors', { factor_type: 'totp' }, { token: first });
    const challenge = await world.post(`/factors/${factor.id}/challenge`, {}, { token: first });
    const totp = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) });
    const proof = { challenge_id: challenge.body.id, code: totp.generate({ timestamp: world.nowMs() }) };
    expect((await world.post(`/factors/${factor.id}/verify`, proof, { token: first })).status).toBe(200);
    const low = await world.post('/token?grant_type=password', { email: user.email, password });
    const id = await begin();
    await read(id, low.body.access_token);
    const target = targetOf(await decide(id, 'approve', low.body.access_token));
    const { body } = await exchangeCode(target.searchParams.get('code') ?? '');
    expect(readClaims(body.access_token)).toMatchObject({ sub: user.id, aal: 'aal1' });
  });

  it('a redirect URI has any scheme behind a comma', async () => {
    const script = 'javascript://%0aalert(1)';
    const { client_id: id } = await register({ redirect_uris: [`https://tool.example/,${script}`] });
    expect((await authorize({ client_id: id, redirect_uri: script })).status).toBe(302);
  });
});

describe('an authorization request', () => {
  it.each([
    [{ client_id: '' }, 'validation_failed', 'client_id is required'],
    [{ client_id: 'x' }, 'oauth_client_not_found', 'invalid client_id format'],
    [{ client_id: '00000000-0000-4000-8000-000000000000' }, 'oauth_client_not_found', 'invalid client_id'],
    [{ redirect_uri: '' }, 'validation_failed', 'redirect_uri is required'],
    [{ redirect_uri: `${redirectUri}/` }, 'validation_failed', 'invalid redirect_uri'],
  ])('with %j is refused without a redirect', async (params, code, message) => {
    const { status, body } = await authorize(params);
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
  ])('with %j is refused to the application', async (params, description) => {
    const { status, location } = await authorize(params);
    expect([status, Object.fromEntries(location.searchParams)]).toEqual([
      302,
      { error: 'invalid_request', error_description: description, state: 'a state~*' },
    ]);
  });

  it('with a state above the limit of the table ends with a server error', async () => {
    const { location } = await authorize({ state: 'x'.repeat(5000) });
    expect(location.searchParams.get('error')).toBe('server_error');
  });

  it('belongs to the user who opened it, on a page of the project', async () => {
    const id = await begin({ scope: 'email phone' });
    const notFound = { code: 'oauth_authorization_not_found', message: 'authorization not found' };
    expect((await decide(id, 'approve')).body).toEqual(notFound);
    await read(id);
    const { access_token: other } = await world.signedUp();
    expect((await read(id, other)).body).toEqual(notFound);
    expect((await decide(id, 'approve', other)).body).toEqual(notFound);
    expect((await decide(id, 'later')).body.message).toBe("action must be 'approve' or 'deny'");
    const foreign = await world.get(`/oauth/authorizations/${id}`, {
      token,
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.body.message).toBe('unauthorized request origin');
    expect((await world.get(`/oauth/authorizations/${id}`)).status).toBe(401);
  });

  it('and its code expire after ten minutes', async () => {
    const clock = await openAuthWorld();
    const { access_token: owner } = await clock.signedUp();
    const ask = async (): Promise<string> => {
      const params = { client_id: client.client_id, redirect_uri: redirectUri, scope: 'phone' };
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
    const headers = { authorization: basic(client) };
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
    const code = await obtainCode();
    const { status, body } = await exchangeCode(code, fields);
    expect({ status, ...body }).toEqual({
      status: 400,
      error: 'invalid_grant',
      error_description: description,
    });
    expect((await exchangeCode(code)).status).toBe(200);
  });

  it('refuses the code, and the refresh token, of another application', async () => {
    const other = await register();
    const code = await obtainCode();
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier };
    expect((await exchange(grant, basic(other))).body).toMatchObject({
      error_description: 'Authorization code was not issued for this client',
    });
    const { body } = await exchangeCode(code);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await exchange(refresh, basic(other))).body).toEqual({
      error: 'invalid_client',
      error_description: "Client does not match the session's OAuth client",
    });
    expect((await world.post('/token?grant_type=refresh_token', refresh)).body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication required for OAuth session',
    });
    const own = { ...refresh, refresh_token: (await world.signedUp()).refresh_token };
    expect((await exchange(own)).body).toEqual({
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
    expect((await exchange(fields)).body).toEqual({ error, error_description: description });
  });

  it('refuses clients that do not prove who they are as they registered', async () => {
    const refusalOf = async (answer: Promise<Answer>) => {
      const { status, body } = await answer;
      return [status, body.code, body.message];
    };
    const refused = (message: string) => [400, 'invalid_credentials', message];
    const { client_id: id, client_secret: secret } = client;
    const wrong = basic({ client_id: id, client_secret: 'wrong' });
    expect(await refusalOf(exchange({}, wrong))).toEqual(refused('invalid client credentials'));
    expect(await refusalOf(exchange({}, 'Basic *'))).toEqual(
      refused('Invalid client credentials: invalid basic auth encoding'),
    );
    expect(await refusalOf(exchange({}, ''))).toEqual(
      refused('Invalid client credentials: client_id is required'),
    );
    expect(await refusalOf(exchange({ client_id: 'x' }, ''))).toEqual(refused('Invalid client_id format'));
    expect(await refusalOf(exchange({ client_id: id, client_secret: secret }, ''))).toEqual(
      refused(
        "invalid authentication method: client is registered for 'client_secret_basic' but 'client_secret_post' was used",
      ),
    );
    expect((await exchange({ grant_type: 'x' }, 'Basic Og==')).body).toMatchObject({
      error: 'invalid_client',
    });
  });
});

describe('the settings of the OAuth server', () => {
  it('switch it off, and registration alone', async () => {
    const off = await openAuthWorld({ oauthServerEnabled: false });
    const admin = { token: off.keys.serviceRoleKey };
    const { access_token: user } = await off.signedUp();
    const answers = [
      await off.get('/oauth/authorize'),
      await off.get('/.well-known/oauth-authorization-server'),
      await off.get('/admin/oauth/clients', admin),
      await off.get('/user/oauth/grants', { token: user }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [404, 'feature_disabled']),
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

  it('name no page, so that requests end with a server error', async () => {
    const bare = await openAuthWorld({ oauthAuthorizationPath: '' });
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const params = { client_id: client.client_id, redirect_uri: redirectUri, ...pkce };
    const { location } = await bare.get(`/oauth/authorize?${form(params)}`);
    expect(location.searchParams.get('error_description')).toBe('oauth authorization path not configured');
  });

  it('are described by both discovery documents', async () => {
    const [openId, oauth] = [
      await world.get('/.well-known/openid-configuration'),
      await world.get('/.well-known/oauth-authorization-server'),
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

import { createHash } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';

import {
  createVerifier,
  freshEmail,
  openAuthWorld,
  origin,
  readClaims,
  siteUrl,
  type AuthWorld,
} from './auth-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

interface Visit {
  readonly email: string;
  readonly challenge?: string;
  readonly extra?: Readonly<Record<string, string>>;
  readonly token?: string;
}

/** Follows the redirects from /authorize through the provider back to the page. */
async function walk({ email, challenge, extra, token }: Visit): Promise<URL> {
  const query = new URLSearchParams({
    provider: 'google',
    redirect_to: `${siteUrl}/home`,
    prompt: 'none',
    login_hint: email,
    ...(challenge && { code_challenge: challenge, code_challenge_method: 's256' }),
    ...extra,
  });
  const path = token === undefined ? '/authorize' : '/user/identities/authorize';
  const begun = await world.get(`${path}?${query}`, token === undefined ? {} : { token });
  expect(begun.status).toBe(302);
  const provided = await world.get(begun.location.href);
  expect(provided.status).toBe(303);
  return (await world.get(provided.location.href)).location;
}

describe('sign-in at a provider', () => {
  it('returns tokens, including those of the provider', async () => {
    const email = freshEmail();
    const { hash } = await walk({ email });
    const params = new URLSearchParams(hash.slice(1));
    expect([...params.keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'provider_refresh_token',
      'provider_token',
      'refresh_token',
      'sb',
      'token_type',
    ]);
    expect(readClaims(params.get('access_token') ?? '')).toMatchObject({
      email,
      amr: [{ method: 'oauth' }],
      app_metadata: { provider: 'google', providers: ['google'] },
      user_metadata: { email, email_verified: true, iss: `${origin}/auth/v1/test-provider/google` },
    });
  });

  it('returns a code when it began with a challenge', async () => {
    const { verifier, challenge } = createVerifier();
    const { searchParams } = await walk({ email: freshEmail(), challenge });
    const { body } = await world.post('/token?grant_type=pkce', {
      auth_code: searchParams.get('code'),
      code_verifier: verifier,
    });
    expect(body).toHaveProperty('provider_token');
    expect(body).toHaveProperty('provider_refresh_token');
  });

  it('finds the same account again, and links by a verified address', async () => {
    const { user } = await world.signedUp();
    const ids = [];
    for (let visit = 0; visit < 2; visit += 1) {
      const { hash } = await walk({ email: user.email });
      ids.push(readClaims(new URLSearchParams(hash.slice(1)).get('access_token') ?? ''));
    }
    expect(ids.map(({ sub }) => sub)).toEqual([user.id, user.id]);
    expect(ids[0]).toMatchObject({ app_metadata: { provider: 'email', providers: ['email', 'google'] } });
  });

  it('does not link by an address that the provider has not verified, but mails it', async () => {
    const email = freshEmail();
    const location = await walk({ email, extra: { email_verified: 'false' } });
    expect(location.searchParams.get('error_code')).toBe('provider_email_needs_verification');
    expect(location.searchParams.get('error')).toBe('access_denied');
    expect(world.mailTo(email).link.searchParams.get('type')).toBe('signup');
  });

  it('removes a password that was set before the address was verified', async () => {
    const email = freshEmail();
    await world.post('/signup', { email, password: 'an attacker’s password' });
    await walk({ email });
    const signedIn = await world.post('/token?grant_type=password', {
      email,
      password: 'an attacker’s password',
    });
    expect(signedIn.body.code).toBe('invalid_credentials');
  });

  it('shows a sign-in page, and redirects only to the project', async () => {
    const begun = await world.get(`/authorize?provider=github&redirect_to=${siteUrl}/home`);
    const page = await world.service.handle(new Request(begun.location));
    expect(page.headers.get('content-type')).toContain('text/html');
    const html = await page.text();
    expect(html).toContain('Sign in with github');
    const form = Object.fromEntries(
      [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    const submit = async (fields: Record<string, string>) =>
      world.ask('POST', begun.location.href, new URLSearchParams({ ...form, ...fields }).toString());
    const denied = await submit({ decision: 'deny' });
    const back = await world.get(denied.location.href);
    expect(back.location.searchParams.get('error')).toBe('access_denied');
    expect(back.location.hash).toContain('error=access_denied');
    const allowed = await submit({ decision: 'allow', email: freshEmail(), email_verified: 'true' });
    expect((await world.get(allowed.location.href)).location.hash).toContain('access_token=');
    const stray = new URL(begun.location);
    stray.searchParams.set('redirect_uri', 'https://evil.example.com');
    expect((await world.get(stray.href)).status).toBe(400);
  });

  it('refuses a used, an expired and a forged state', async () => {
    const { challenge } = createVerifier();
    const query = new URLSearchParams({
      provider: 'google',
      prompt: 'none',
      login_hint: freshEmail(),
      code_challenge: challenge,
      code_challenge_method: 's256',
    });
    const begun = await world.get(`/authorize?${query}`);
    const provided = await world.get(begun.location.href);
    await world.get(provided.location.href);
    const used = await world.get(provided.location.href);
    expect(used).toMatchObject({ status: 303 });
    expect(used.location.searchParams.get('error_code')).toBe('flow_state_already_used');
    const late = await world.get(`/authorize?${query}`);
    world.advance(301);
    const state = late.location.searchParams.get('state');
    expect((await world.get(`/callback?state=${state}&code=x`)).location.searchParams.get('error_code')).toBe(
      'bad_oauth_state',
    );
  });

  it('accepts an invitation of the same address only', async () => {
    const email = freshEmail();
    await world.post('/invite', { email }, { token: world.keys.serviceRoleKey });
    const inviteToken = world.mailTo(email).link.searchParams.get('token') ?? '';
    const stranger = await walk({ email: freshEmail(), extra: { invite_token: inviteToken } });
    expect(stranger.searchParams.get('error_description')).toContain('Invited email does not match');
    const { hash } = await walk({ email, extra: { invite_token: inviteToken } });
    expect(hash).toContain('access_token=');
    const unknown = await world.get('/authorize?provider=google&invite_token=nonsense');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
  });

  it('accepts the name of a provider in any case', async () => {
    const { status, location } = await world.get('/authorize?provider=GITHUB');
    expect([status, location.pathname]).toEqual([302, expect.stringContaining('/github/')]);
  });

  it('refuses unknown providers and disabled ones', async () => {
    expect((await world.get('/authorize?provider=gitlab')).body.message).toBe(
      'Unsupported provider: provider is not enabled',
    );
    expect((await world.get('/authorize?provider=acme')).body.message).toBe(
      'Unsupported provider: Provider acme could not be found',
    );
  });
});

describe('identities', () => {
  it('can be linked to a signed-in user and unlinked, except for the last one', async () => {
    const { user, access_token: token } = await world.signedUp();
    const email = freshEmail();
    await walk({ email, token });
    const linked = await world.get('/user', { token });
    expect(linked.body).toMatchObject({ id: user.id, email: user.email });
    const { identities } = linked.body as unknown as typeof user;
    expect(identities.map(({ provider }) => provider)).toEqual(['email', 'google']);
    const unlink = async (id: string) => world.ask('DELETE', `/user/identities/${id}`, undefined, { token });
    const google = identities.find(({ provider }) => provider === 'google')?.identity_id ?? '';
    expect(await unlink(crypto.randomUUID())).toMatchObject({
      status: 422,
      body: { code: 'identity_not_found' },
    });
    expect(await unlink(google)).toMatchObject({ status: 200, body: {} });
    const [own] = user.identities;
    expect(await unlink(own?.identity_id ?? '')).toMatchObject({
      status: 422,
      body: { code: 'single_identity_not_deletable' },
    });
  });

  it('can be linked through a returned URL, unless the project disables linking', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.get('/user/identities/authorize?provider=google&skip_http_redirect=true', {
      token,
    });
    expect(body.url).toContain('/test-provider/google/authorize?');
    const closed = await openAuthWorld({ manualLinkingEnabled: false });
    const { access_token: other } = await closed.signedUp();
    expect(await closed.get('/user/identities/authorize?provider=google', { token: other })).toMatchObject({
      status: 404,
      body: { code: 'manual_linking_disabled' },
    });
  });

  it('identities of another user are refused', async () => {
    const email = freshEmail();
    await walk({ email });
    const { access_token: token } = await world.signedUp();
    expect((await walk({ email, token })).searchParams.get('error_code')).toBe('identity_already_exists');
  });

  it('provide the account’s address when the identity of its address is unlinked', async () => {
    const { user, access_token: token } = await world.signedUp();
    const email = freshEmail();
    await walk({ email, token });
    const [own] = user.identities;
    await world.ask('DELETE', `/user/identities/${own?.identity_id}`, undefined, { token });
    expect((await world.get('/user', { token })).body).toMatchObject({
      email,
      app_metadata: { provider: 'google' },
    });
  });
});

it('returns the further claims of Keycloak as custom_claims', async () => {
  const keycloak = await openAuthWorld({ externalProviders: ['keycloak'] });
  const query = new URLSearchParams({ provider: 'keycloak', prompt: 'none', login_hint: freshEmail() });
  const begun = await keycloak.get(`/authorize?${query}`);
  const provided = await keycloak.get(begun.location.href);
  const { hash } = (await keycloak.get(provided.location.href)).location;
  const claims = readClaims(new URLSearchParams(hash.slice(1)).get('access_token') ?? '');
  expect(claims).toHaveProperty('user_metadata.custom_claims', {});
});

describe('the id_token grant', () => {
  const nonce = 'a raw nonce';
  const hashed = createHash('sha256').update(nonce).digest('hex');
  async function idToken(claims: object = {}, provider = 'google', email = freshEmail()): Promise<string> {
    const { body } = await world.post(`/test-provider/${provider}/id_token`, { email, name: 'Ada', claims });
    return body.id_token;
  }
  const grant = async (body: object, token?: string) =>
    world.post(
      '/token?grant_type=id_token',
      { provider: 'google', ...body },
      token === undefined ? {} : { token },
    );

  it('signs in with a verified token that contains the hash of the nonce', async () => {
    const { body } = await grant({ id_token: await idToken({ nonce: hashed }), nonce });
    expect(body.user.app_metadata).toMatchObject({ provider: 'google' });
    expect(readClaims(body.access_token)['amr']).toMatchObject([{ method: 'oauth' }]);
  });

  it.each([
    [{ nonce: hashed }, { nonce: 'another' }, 'invalid nonce', 'Nonces mismatch'],
    [
      { nonce: hashed },
      {},
      'invalid request',
      'Passed nonce and nonce in id_token should either both exist or not.',
    ],
    [{}, { nonce }, 'invalid request', 'Passed nonce and nonce in id_token should either both exist or not.'],
    [{ aud: 'other-client' }, {}, 'invalid request', 'Unacceptable audience in id_token: [other-client]'],
    [{ name: 5 }, {}, 'invalid request', 'Bad ID token'],
    [{ exp: 1 }, {}, 'invalid request', 'Bad ID token'],
    [{ iss: 'https://elsewhere.example.com' }, {}, 'invalid request', 'Bad ID token'],
    [{ at_hash: 'nonsense' }, { access_token: 'a' }, 'invalid request', 'Bad ID token'],
  ])('refuses a token with %j when %j is sent', async (claims, sent, error, description) => {
    const { status, body } = await grant({ id_token: await idToken(claims), ...sent });
    expect({ status, body }).toEqual({ status: 400, body: { error, error_description: description } });
  });

  it('links to the signed-in user on request', async () => {
    const { user, access_token: token } = await world.signedUp();
    const { body } = await grant({ id_token: await idToken(), link_identity: true }, token);
    expect(body.user).toMatchObject({ id: user.id, app_metadata: { providers: ['email', 'google'] } });
    expect((await grant({ id_token: await idToken(), link_identity: true })).body).toHaveProperty('error');
  });
});

describe('a project without sign-ups', () => {
  it('refuses new accounts of providers', async () => {
    const closed = await openAuthWorld({ disableSignup: true });
    const query = new URLSearchParams({ provider: 'google', prompt: 'none', login_hint: freshEmail() });
    const begun = await closed.get(`/authorize?${query}`);
    const provided = await closed.get(begun.location.href);
    const { location } = await closed.get(provided.location.href);
    expect(location.searchParams.get('error_code')).toBe('signup_disabled');
  });
});

import { beforeAll, describe, expect, it } from 'vitest';

import { type AuthResponse, type AuthWorld, freshEmail, openAuthWorld, readClaims } from './auth-world.ts';

const path = '/admin/custom-providers';
const openId = {
  provider_type: 'oidc',
  identifier: 'custom:acme',
  name: 'Acme',
  client_id: 'acme-client',
  client_secret: 'hidden',
  issuer: 'https://id.acme.example',
  scopes: ['email'],
  authorization_params: { audience: 'api' },
  email_optional: true,
};
const oauth = {
  provider_type: 'oauth2',
  identifier: 'custom:forge',
  name: 'Forge',
  client_id: 'forge-client',
  client_secret: 'hidden',
  authorization_url: 'https://forge.example/authorize',
  token_url: 'https://forge.example/token',
  userinfo_url: 'https://forge.example/me',
};

let world: AuthWorld;
const asAdmin = async (method: string, to: string, body?: unknown): Promise<AuthResponse> =>
  world.ask(method, to, body, { token: world.keys.serviceRoleKey });
const signIn = async (provider: string, params: Readonly<Record<string, string>>): Promise<AuthResponse> => {
  const begun = await world.get(`/authorize?${new URLSearchParams({ provider, prompt: 'none', ...params })}`);
  if (begun.status !== 302) return begun;
  return world.get((await world.get(begun.location.href)).location.href);
};

beforeAll(async () => {
  world = await openAuthWorld();
  await asAdmin('POST', path, openId);
  world.advance(1);
  await asAdmin('POST', path, oauth);
});

describe('providers that an administrator adds', () => {
  it('are listed by type, the newest first, without their secrets', async () => {
    const { body } = await asAdmin('GET', path);
    const { providers } = body as unknown as { providers: readonly Record<string, unknown>[] };
    expect(providers.map(({ identifier }) => identifier)).toEqual(['custom:forge', 'custom:acme']);
    expect(providers[0]).toEqual({
      ...oauth,
      client_secret: undefined,
      id: expect.any(String) as string,
      acceptable_client_ids: [],
      scopes: [],
      pkce_enabled: true,
      attribute_mapping: {},
      custom_claims_allowlist: [],
      authorization_params: {},
      enabled: true,
      email_optional: false,
      skip_nonce_check: false,
      created_at: '2026-01-01T00:00:01.000Z',
      updated_at: '2026-01-01T00:00:01.000Z',
    });
    const { body: some } = await asAdmin('GET', `${path}?type=oidc`);
    expect(some).toMatchObject({ providers: [{ identifier: 'custom:acme', scopes: ['openid', 'email'] }] });
  });

  it("sign in through the test provider's page and by their ID tokens", async () => {
    const email = freshEmail();
    const begun = await world.get('/authorize?provider=Custom:ACME');
    expect(Object.fromEntries(begun.location.searchParams)).toMatchObject({
      client_id: 'acme-client',
      scope: 'openid email',
      audience: 'api',
    });
    const signedIn = await signIn('custom:acme', { login_hint: email });
    const token = new URLSearchParams(signedIn.location.hash.slice(1)).get('access_token') ?? '';
    expect(readClaims(token)).toMatchObject({ email, app_metadata: { provider: 'custom:acme' } });
    const person = { email, claims: { aud: 'acme-client' } };
    const { body: issued } = await world.post('/test-provider/custom:acme/id_token', person);
    const grant = { provider: 'custom:acme', id_token: issued.id_token };
    const { user } = (await world.post('/token?grant_type=id_token', grant)).body;
    const claims = { ...readClaims(issued.id_token), aud: ['acme-client'] };
    expect(user).toMatchObject({
      email,
      identities: [{ identity_data: { ...claims, phone_verified: false } }],
    });
  });

  it.each([
    ['custom:none', 'Custom provider "custom:none" not found'],
    ['custom:forge', 'Provider "custom:forge" is not an OIDC provider'],
  ])('issue no ID tokens as %s', async (provider, message) => {
    const { status, body } = await world.post('/token?grant_type=id_token', { provider, id_token: 'x' });
    expect({ status, ...body }).toEqual({ status: 400, code: 'validation_failed', message });
  });

  it('can be changed, disabled and deleted', async () => {
    const provider = { ...oauth, identifier: 'custom:short-lived' };
    expect((await asAdmin('POST', path, provider)).status).toBe(201);
    const one = `${path}/custom:short-lived`;
    const changes = {
      name: 'Other',
      scopes: ['a "quoted" one'],
      enabled: false,
      issuer: 'https://x.example',
    };
    const { status, body } = await asAdmin('PUT', one, changes);
    expect([status, body]).toMatchObject([200, { name: 'Other', scopes: changes.scopes, enabled: false }]);
    expect(body).not.toHaveProperty('issuer');
    const off = await signIn('custom:short-lived', {});
    expect(off.body.message).toBe('Unsupported provider: custom provider custom:short-lived is disabled');
    expect((await asAdmin('DELETE', one)).status).toBe(204);
    expect(await asAdmin('GET', one)).toMatchObject({
      status: 404,
      body: { code: 'custom_provider_not_found', message: 'Custom OAuth provider not found' },
    });
  });

  it.each([
    [{ provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
    [{ identifier: 'acme' }, "identifier must start with 'custom:' prefix, e.g. 'custom:acme'"],
    [{ token_url: '' }, 'token_url is required for OAuth2 providers'],
    [{ token_url: 'http://forge.example' }, 'URL must use HTTPS'],
    [{ token_url: 'https:///token' }, 'URL must have a valid hostname'],
    [{ token_url: 'https://10.1.2.3/token' }, 'URL cannot resolve to private network addresses'],
    [{ jwks_uri: 'https://a.localhost/keys' }, 'URL cannot point to localhost or loopback addresses'],
    [{ authorization_params: { state: 'x' } }, 'Cannot override reserved OAuth parameter: state'],
    [{ authorization_params: { prompt: 1 } }, 'Authorization parameter "prompt" must be a string'],
    [{ attribute_mapping: { role: 'group' } }, 'Cannot map to protected system field: role'],
    [{ custom_claims_allowlist: [' '] }, 'custom_claims_allowlist entries must be non-empty strings'],
  ])('are refused with %j', async (wrong, message) => {
    const { status, body } = await asAdmin('POST', path, { ...oauth, identifier: 'custom:new', ...wrong });
    expect({ status, ...body }).toEqual({ status: 400, code: 'validation_failed', message });
  });

  it('are refused as duplicates, above the quota, for other callers and when the feature is off', async () => {
    const codeOf = async (response: Promise<AuthResponse>) => {
      const { status, body } = await response;
      return [status, body.code];
    };
    expect(await codeOf(asAdmin('POST', path, oauth))).toEqual([400, 'conflict']);
    const badName = { ...oauth, identifier: 'custom:Bad' };
    expect(await codeOf(asAdmin('POST', path, badName))).toEqual([500, 'unexpected_failure']);
    const { access_token: token } = await world.signedUp();
    expect(await codeOf(world.get(path, { token }))).toEqual([403, 'not_admin']);
    const few = await openAuthWorld({ maxCustomProviders: 2 });
    const admin = { token: few.keys.serviceRoleKey };
    const another = { ...oauth, identifier: 'custom:third' };
    expect(await codeOf(few.post(path, another, admin))).toEqual([400, 'over_custom_provider_quota']);
    const off = await openAuthWorld({ customProvidersEnabled: false });
    const offAdmin = { token: off.keys.serviceRoleKey };
    expect(await codeOf(off.get(path, offAdmin))).toEqual([404, 'feature_disabled']);
  });
});

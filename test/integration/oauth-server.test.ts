import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAdminClient, type AdminClient, type OAuthClient } from '../../src/auth-client/admin/admin.ts';
import { createOAuthServer, type OAuthServer } from '../../src/auth-client/features/oauth-server.ts';
import { createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { ada, requestApi, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ auth: { oauthServerEnabled: true } });
const redirectUri = 'https://tool.example/callback';
const verifier = 'v'.repeat(43);

let admin: AdminClient;
let tool: OAuthClient;
let oauthServer: OAuthServer;

beforeAll(async () => {
  const { url, secretKey, publishableKey, fetch } = supabase();
  const platform = createPlatform({ fetch });
  admin = createAdminClient({ url, secretKey, platform });
  tool = await admin.createOAuthClient({ name: 'Tool', redirectUris: [redirectUri] });
  const auth = createAuthClient({ url, apiKey: publishableKey, platform, store: createMemoryStore() });
  await auth.signInWithPassword({ email: ada.email, password: seedPassword });
  oauthServer = createOAuthServer(auth);
});

/** Begins an authorization as an application does, and returns the id that the browser brings to the consent page. */
async function arrive(params: Readonly<Record<string, string>> = {}): Promise<string> {
  const query = new URLSearchParams({
    client_id: tool.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...params,
  });
  const begun = await requestApi(supabase(), `/auth/v1/oauth/authorize?${query.toString()}`);
  return new URL(begun.headers.get('location') ?? '').searchParams.get('authorization_id') ?? '';
}
const responseOf = (redirectUrl: string) => Object.fromEntries(new URL(redirectUrl).searchParams);

describe('the user of a consent page', () => {
  it('sees the application and its scopes, refuses, grants, and revokes the grant', async () => {
    const refused = await arrive();
    expect(await oauthServer.getAuthorization({ authorizationId: refused })).toMatchObject({
      redirectUrl: null,
      application: { id: tool.client_id, name: 'Tool' },
      scopes: ['openid', 'email'],
      redirectUri,
      user: { id: ada.id, email: ada.email },
    });
    const denial = await oauthServer.denyAuthorization({ authorizationId: refused });
    expect(responseOf(denial.redirectUrl)).toMatchObject({ error: 'access_denied', state: 's' });
    expect(await oauthServer.listGrants()).toEqual([]);

    const authorizationId = await arrive();
    await oauthServer.getAuthorization({ authorizationId });
    const approval = await oauthServer.approveAuthorization({ authorizationId });
    expect(responseOf(approval.redirectUrl)).toEqual({ code: expect.any(String), state: 's' });
    const [grant] = await oauthServer.listGrants();
    expect(grant).toMatchObject({ application: { id: tool.client_id }, scopes: ['openid', 'email'] });
    expect(Math.abs((grant?.grantedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);

    // An earlier grant covers the next request.
    const again = await oauthServer.getAuthorization({ authorizationId: await arrive() });
    expect(responseOf(again.redirectUrl ?? '')).toMatchObject({ code: expect.any(String) });

    await oauthServer.revokeGrant({ clientId: tool.client_id });
    expect(await oauthServer.listGrants()).toEqual([]);
    await expect(oauthServer.revokeGrant({ clientId: tool.client_id })).rejects.toMatchObject({
      code: 'oauth_consent_not_found',
    });
  });

  it('is redirected to no URL that would run code in the page', async () => {
    const script = 'javascript://%0aalert(1)';
    const refused = { code: 'not-the-service' };
    // GoTrue checks the list before it splits it at the comma.
    const { client_id: clientId } = await admin.createOAuthClient({
      name: 'Trap',
      redirectUris: [`https://tool.example/,${script}`, redirectUri],
      uri: 'javascript:alert(1)',
      logoUri: 'data:text/html,1',
    });
    const harmless = await arrive({ client_id: clientId });
    expect(await oauthServer.getAuthorization({ authorizationId: harmless })).toMatchObject({
      application: { name: 'Trap', uri: null, logo_uri: null },
    });
    const authorizationId = await arrive({ client_id: clientId, redirect_uri: script });
    await expect(oauthServer.getAuthorization({ authorizationId })).rejects.toMatchObject(refused);
    await expect(oauthServer.denyAuthorization({ authorizationId })).rejects.toMatchObject(refused);
    await admin.deleteOAuthClient({ clientId });
  });

  it('gets an error for an unknown request, and sends nothing without its id', async () => {
    await expect(oauthServer.getAuthorization({ authorizationId: 'unknown' })).rejects.toMatchObject({
      code: 'oauth_authorization_not_found',
    });
    await expect(oauthServer.approveAuthorization({ authorizationId: '' })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });
});

describe('an administrator', () => {
  it('registers, reads, changes and removes applications, whose secret is shown once', async () => {
    expect([tool.client_secret, tool.client_type, tool.registration_type]).toEqual([
      expect.stringMatching(/^.{43}$/),
      'confidential',
      'manual',
    ]);
    const { client_id: clientId } = await admin.createOAuthClient({
      name: 'Page',
      redirectUris: [redirectUri],
      tokenEndpointAuthMethod: 'none',
    });
    await admin.updateOAuthClient({ clientId, name: 'Other page', uri: 'https://tool.example/' });
    const kept = await admin.getOAuthClient({ clientId });
    expect(kept).toMatchObject({
      client_name: 'Other page',
      client_type: 'public',
      redirect_uris: [redirectUri],
    });
    expect(kept.client_secret).toBeUndefined();
    await expect(admin.regenerateOAuthClientSecret({ clientId })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    const renewed = await admin.regenerateOAuthClientSecret({ clientId: tool.client_id });
    expect(renewed.client_secret).not.toBe(tool.client_secret);
    expect((await admin.listOAuthClients()).map(({ client_id: id }) => id)).toEqual([
      clientId,
      tool.client_id,
    ]);
    await admin.deleteOAuthClient({ clientId });
    await expect(admin.getOAuthClient({ clientId })).rejects.toMatchObject({
      code: 'oauth_client_not_found',
    });
  });

  it('adds, reads, changes and removes identity providers, without ever reading their secret', async () => {
    const identifier = 'custom:company';
    const added = await admin.createProvider({
      providerType: 'oidc',
      identifier,
      name: 'Company',
      clientId: 'inbox',
      clientSecret: 'secret',
      issuer: 'https://login.company.example',
      pkceEnabled: true,
      acceptableClientIds: ['inbox-ios'],
    });
    expect(added).toMatchObject({ identifier, provider_type: 'oidc', acceptable_client_ids: ['inbox-ios'] });
    expect(JSON.stringify(added)).not.toContain('secret');
    await admin.updateProvider({ identifier, name: 'The company', enabled: false });
    expect(await admin.getProvider({ identifier })).toMatchObject({ name: 'The company', enabled: false });
    expect(await admin.listProviders({ providerType: 'oauth2' })).toEqual([]);
    expect(await admin.listProviders()).toHaveLength(1);
    await admin.deleteProvider({ identifier });
    await expect(admin.getProvider({ identifier })).rejects.toMatchObject({
      code: 'custom_provider_not_found',
    });
  });
});

import { describe, expect, it } from 'vitest';
import {
  createServerClients,
  verifyRequest,
  type CookieToSet,
  type VerifyRequestOptions,
} from '../../src/clients/server.ts';
import { createPlatform } from '../../src/platform/index.ts';
import {
  ada,
  createUser,
  requestApi,
  seedPassword,
  signIn,
  useLocalSupabase,
} from '../support/local-supabase.ts';
import { registerApplication } from '../support/oauth-application.ts';
import { expire } from '../support/session-cookies.ts';
import { createBreakableFetch, to } from '../support/wire/breakable-fetch.ts';

// A separate port: the key set's cache is by URL, and servers without a port share one.
const supabase = useLocalSupabase({
  port: 0,
  auth: { oauthServerEnabled: true, oauthDynamicRegistrationEnabled: true },
});
const everyone = ['user', 'application', 'service', 'publishable'] as const;

async function verify(
  headers: Readonly<Record<string, string>>,
  options: Partial<VerifyRequestOptions> = {},
) {
  const { url, publishableKey, secretKey, fetch } = supabase();
  const request = new Request('https://app.test/orders', { headers });
  const platform = createPlatform({ fetch });
  return verifyRequest(request, {
    url,
    apiKey: publishableKey,
    secretKey,
    platform,
    allow: everyone,
    ...options,
  });
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const refused = (status: number) => ({ code: 'no_authorization', status });

// Must be the first test, because later ones find the keys in the cache.
it('a request is neither accepted nor refused where the project’s keys cannot be read', async () => {
  const token = await signIn(supabase(), ada.email);
  const { fetch, break: cut } = createBreakableFetch(supabase);
  cut(to('/auth/v1/'));
  const platform = createPlatform({ fetch });
  const verified = verify(bearer(token), { platform });
  await expect(verified).rejects.toMatchObject({ code: 'network' });
});

describe('a request', () => {
  it('with a bearer token belongs to its user, and reads what the policies allow', async () => {
    const token = await signIn(supabase(), ada.email);
    const { caller, claims, rest } = await verify(bearer(token));
    expect([caller, claims?.sub]).toEqual(['user', ada.id]);
    expect(await rest.from('notification_preferences').count()).toBe(0);
    const stranger = await createUser(supabase(), `${crypto.randomUUID()}@example.com`);
    await expect(
      (await verify(bearer(stranger.token))).rest.rpc('export_account_data'),
    ).resolves.toMatchObject({
      account: { id: stranger.id },
    });
  });

  it('with the session’s cookies belongs to its user, and the response carries a renewed session', async () => {
    const { url, publishableKey: apiKey, fetch } = supabase();
    const jar = new Map<string, string>();
    const cookies = {
      getAll: () => Array.from(jar, ([name, value]) => ({ name, value })),
      setAll: (set: readonly CookieToSet[]) => set.forEach(({ name, value }) => jar.set(name, value)),
    };
    const { auth } = createServerClients({ url, apiKey, fetch, cookies });
    await auth.signInWithPassword({ email: ada.email, password: seedPassword });
    expire(jar, 60);
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
    const responseHeaders = new Headers();
    const { caller, claims, rest } = await verify({ cookie }, { responseHeaders });
    expect([
      caller,
      claims?.sub,
      await rest
        .from('audiences')
        .count()
        .catch(({ status }) => status),
    ]).toEqual(['user', ada.id, 403]);
    expect(responseHeaders.getSetCookie().join()).toContain('-auth-token');
    expect(responseHeaders.get('cache-control')).toContain('no-store');
  });

  it.each(['secretKey', 'serviceRoleKey'] as const)('with the %s belongs to the service', async (kind) => {
    const secretKey = supabase()[kind];
    for (const headers of [{ apikey: secretKey }, bearer(secretKey)]) {
      const { caller, claims, rest } = await verify(headers, { secretKey });
      expect([caller, claims]).toEqual(['service', null]);
      expect(await rest.from('audiences').count()).toBe(0);
    }
  });

  it('with the publishable key alone has no user', async () => {
    const { publishableKey } = supabase();
    for (const headers of [{ apikey: publishableKey }, bearer(publishableKey)])
      expect(await verify(headers)).toMatchObject({ caller: 'publishable', claims: null });
  });

  it('with a token of another application, to which a user has consented, does not belong to the user', async () => {
    const application = await registerApplication(supabase());
    const token = await signIn(supabase(), ada.email);
    const path = `/auth/v1/oauth/authorizations/${await application.authorize()}`;
    await requestApi(supabase(), path, { token });
    const consent = await requestApi(supabase(), `${path}/consent`, {
      method: 'POST',
      token,
      body: { action: 'approve' },
    });
    const { redirect_url: target } = (await consent.json()) as { redirect_url: string };
    const headers = bearer(await application.exchange(target));
    expect(await verify(headers)).toMatchObject({ caller: 'application', claims: { sub: ada.id } });
    await expect(verify(headers, { allow: 'user' })).rejects.toMatchObject(refused(403));
  });
});

describe('a request is refused', () => {
  it.each<[string, () => Promise<Record<string, string>>, string, Partial<VerifyRequestOptions>?]>([
    ['without credentials', async () => ({}), 'The request has no credentials'],
    ['with a text that is no token', async () => bearer('abc'), 'The token is refused'],
    [
      'with another secret key',
      async () => ({ apikey: 'sb_secret_other' }),
      'The request has no credentials',
    ],
    [
      'with the anonymous key of another project as its token',
      async () => bearer(supabase().anonKey),
      'The token is refused',
    ],
    [
      'with a token whose claims were changed',
      async () => {
        const [head, , signature] = (await signIn(supabase(), ada.email)).split('.');
        const claims = Buffer.from(JSON.stringify({ sub: ada.id, role: 'authenticated' })).toString(
          'base64url',
        );
        return bearer(`${head}.${claims}.${signature}`);
      },
      'The token is refused',
    ],
    [
      'with a valid token of another role than that of users',
      async () => {
        const { serviceRoleKey } = supabase();
        const { id, email } = await createUser(supabase(), `${crypto.randomUUID()}@example.com`);
        const keys = { apiKey: serviceRoleKey, token: serviceRoleKey };
        await requestApi(supabase(), `/auth/v1/admin/users/${id}`, {
          method: 'PUT',
          ...keys,
          body: { role: 'anon' },
        });
        return bearer(await signIn(supabase(), email));
      },
      'The token is not a user’s',
    ],
    [
      'with the secret key, where none is configured',
      async () => ({ apikey: supabase().secretKey }),
      'The request has no credentials',
      { secretKey: undefined },
    ],
  ])('%s', async (_name, headers, message, options) => {
    await expect(verify(await headers(), options)).rejects.toMatchObject({ ...refused(401), message });
  });

  it('from a caller who is not allowed', async () => {
    const { publishableKey } = supabase();
    await expect(verify({ apikey: publishableKey }, { allow: ['user', 'service'] })).rejects.toMatchObject(
      refused(403),
    );
  });
});

import { AuthClient } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toVerifyLink } from 'supabase-conformance';

import { createLocalSupabase, type LocalSupabase } from '../../src/server/server.ts';

const password = 'correct horse';
const home = 'http://localhost:5173/home';
let server: LocalSupabase;
let count = 0;

beforeAll(async () => {
  server = await createLocalSupabase({ config: false, seed: false, auth: { bcryptCost: 4 } });
});
afterAll(async () => server.close());

const freshEmail = (): string => `vendor-${(count += 1)}@example.com`;

function createMemory(): {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
} {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

type Client = InstanceType<typeof AuthClient>;

function connect(key: string = server.anonKey): Client {
  return new AuthClient({
    url: `${server.url}/auth/v1`,
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    flowType: 'pkce',
    storage: createMemory(),
    storageKey: `key-${(count += 1)}`,
    autoRefreshToken: false,
    detectSessionInUrl: false,
    fetch: server.fetch,
  });
}

/** Follows a mail's link as a browser does, and returns the redirect's target. */
async function openLink(to: string): Promise<URL> {
  const { links } = await server.mailbox.waitFor({ to });
  const link = toVerifyLink(links[0] ?? '', `${server.url}/auth/v1`) ?? '';
  const response = await server.fetch(link, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? 'about:blank');
}

async function codeFor(to: string): Promise<string> {
  return (await server.mailbox.waitFor({ to })).code ?? '';
}

async function signedUp(client = connect()): Promise<{ client: Client; email: string }> {
  const email = freshEmail();
  await client.signUp({ email, password });
  const { error } = await client.verifyOtp({ type: 'email', email, token: await codeFor(email) });
  expect(error).toBeNull();
  return { client, email };
}

describe('the vendor’s client', () => {
  it('signs up, exchanges the code of the mail’s link and reads its user', async () => {
    const client = connect();
    const email = freshEmail();
    const { data } = await client.signUp({
      email,
      password,
      options: { emailRedirectTo: home, data: { name: 'Ada' } },
    });
    expect(data).toMatchObject({ session: null, user: { email } });
    const page = await openLink(email);
    expect(page.pathname).toBe('/home');
    const { error } = await client.exchangeCodeForSession(page.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect((await client.getUser()).data.user).toMatchObject({ email, user_metadata: { name: 'Ada' } });
  });

  it('signs in by password, refreshes, reads its claims by the key set and signs out', async () => {
    const { client, email } = await signedUp();
    await client.signOut({ scope: 'local' });
    expect((await client.signInWithPassword({ email, password: 'wrong' })).error?.code).toBe(
      'invalid_credentials',
    );
    const { data } = await client.signInWithPassword({ email, password });
    const refreshed = await client.refreshSession();
    expect(refreshed.data.session?.refresh_token).not.toBe(data.session?.refresh_token);
    expect((await client.getClaims()).data?.claims).toMatchObject({
      email,
      aal: 'aal1',
      role: 'authenticated',
    });
    expect((await client.signOut()).error).toBeNull();
    expect((await client.getSession()).data.session).toBeNull();
  });

  it('recovers a password', async () => {
    const { email } = await signedUp();
    const client = connect();
    await client.resetPasswordForEmail(email, { redirectTo: 'http://localhost:5173/reset-password' });
    const page = await openLink(email);
    const events: string[] = [];
    client.onAuthStateChange((event) => void events.push(event));
    await client.exchangeCodeForSession(page.searchParams.get('code') ?? '');
    expect(events).toContain('PASSWORD_RECOVERY');
    expect((await client.updateUser({ password: 'a new password' })).error).toBeNull();
    expect((await connect().signInWithPassword({ email, password: 'a new password' })).error).toBeNull();
  });

  it('signs in by code, by mail and by text message', async () => {
    const client = connect();
    const email = freshEmail();
    await client.signInWithOtp({ email });
    expect((await client.verifyOtp({ type: 'email', email, token: await codeFor(email) })).error).toBeNull();
    const phone = `1555777${1000 + count}`;
    expect((await client.signInWithOtp({ phone: `+${phone}` })).error).toBeNull();
    const sms = await client.verifyOtp({ type: 'sms', phone, token: await codeFor(phone) });
    expect(sms.data.user?.phone).toBe(phone);
  });

  it('changes the email with both confirmations', async () => {
    const { client, email } = await signedUp();
    const next = freshEmail();
    await client.updateUser({ email: next });
    const half = await client.verifyOtp({ type: 'email_change', email, token: await codeFor(email) });
    expect(half).toMatchObject({ data: { session: null }, error: null });
    const whole = await client.verifyOtp({
      type: 'email_change',
      email: next,
      token: await codeFor(next),
    });
    expect(whole.data.user?.email).toBe(next);
  });

  it('enrolls, challenges and verifies a TOTP factor', async () => {
    const { client } = await signedUp();
    const { data } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
    expect(data?.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg/);
    const secret = Secret.fromBase32(data?.totp.secret ?? '');
    const code = new TOTP({ secret }).generate();
    expect((await client.mfa.challengeAndVerify({ factorId: data?.id ?? '', code })).error).toBeNull();
    const levels = await client.mfa.getAuthenticatorAssuranceLevel();
    expect(levels.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
    expect((await client.mfa.listFactors()).data?.totp).toHaveLength(1);
    expect((await client.mfa.unenroll({ factorId: data?.id ?? '' })).error).toBeNull();
  });

  it('signs in at a provider, and links and unlinks an identity', async () => {
    const visit = async (start: string): Promise<URL> => {
      let url = start;
      while (url.startsWith(server.url)) {
        const response = await server.fetch(url, { redirect: 'manual' });
        url = response.headers.get('location') ?? 'about:blank';
      }
      return new URL(url);
    };
    const queryParams = { prompt: 'none', login_hint: freshEmail() };
    const client = connect();
    const { data } = await client.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: home, queryParams },
    });
    const page = await visit(data.url ?? '');
    const { data: signedIn } = await client.exchangeCodeForSession(page.searchParams.get('code') ?? '');
    expect(signedIn.session).toHaveProperty('provider_token');
    const linked = await client.linkIdentity({
      provider: 'github',
      options: { redirectTo: home, queryParams: { prompt: 'none', login_hint: freshEmail() } },
    });
    const back = await visit(linked.data.url ?? '');
    await client.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    const { data: held } = await client.getUserIdentities();
    expect(held?.identities.map(({ provider }) => provider).toSorted()).toEqual(['github', 'google']);
    const [identity] = held?.identities.filter(({ provider }) => provider === 'github') ?? [];
    if (identity === undefined) throw new Error('No identity was linked');
    expect((await client.unlinkIdentity(identity)).error).toBeNull();
  });

  it('signs in anonymously and by single sign-on', async () => {
    const client = connect();
    expect((await client.signInAnonymously()).data.user?.is_anonymous).toBe(true);
    const { data, error } = await connect().signInWithSSO({ domain: 'sso.example.com' });
    expect(error).toBeNull();
    expect(data?.url).toContain('/test-provider/sso/');
  });

  it('reauthenticates and resends', async () => {
    const { client, email } = await signedUp();
    await client.reauthenticate();
    const nonce = await codeFor(email);
    expect((await client.updateUser({ password: 'another one', nonce })).error).toBeNull();
    const unconfirmed = freshEmail();
    await client.signUp({ email: unconfirmed, password });
    await codeFor(unconfirmed);
    expect((await client.resend({ type: 'signup', email: unconfirmed })).error).toBeNull();
    expect(await codeFor(unconfirmed)).toMatch(/^\d{6}$/);
  });

  it.each(['serviceRoleKey', 'secretKey'] as const)('administers users with the %s', async (key) => {
    const client = connect(server[key]);
    const email = freshEmail();
    const { data, error } = await client.admin.createUser({ email, password, email_confirm: true });
    expect(error).toBeNull();
    const id = data.user?.id ?? '';
    expect((await client.admin.listUsers()).data.users.some((user) => user.id === id)).toBe(true);
    expect(
      (await client.admin.updateUserById(id, { user_metadata: { a: 1 } })).data.user?.user_metadata['a'],
    ).toBe(1);
    const link = await client.admin.generateLink({ type: 'magiclink', email });
    expect(link.data.properties?.email_otp).toMatch(/^\d{6}$/);
    const invited = freshEmail();
    expect((await client.admin.inviteUserByEmail(invited)).error).toBeNull();
    expect((await openLink(invited)).hash).toContain('access_token=');
    expect((await client.admin.deleteUser(id)).error).toBeNull();
    expect((await client.admin.getUserById(id)).error?.code).toBe('user_not_found');
  });

  it('administers custom providers', async () => {
    const { customProviders } = connect(server.serviceRoleKey).admin;
    const identifier = 'custom:vendor';
    const created = await customProviders.createProvider({
      provider_type: 'oidc',
      identifier,
      name: 'Vendor',
      client_id: 'id',
      client_secret: 'secret',
      issuer: 'https://id.vendor.example',
    });
    expect([created.error, created.data?.discovery_document?.issuer]).toEqual([
      null,
      'https://id.vendor.example',
    ]);
    expect((await customProviders.updateProvider(identifier, { enabled: false })).data?.enabled).toBe(false);
    expect((await customProviders.listProviders({ type: 'oidc' })).data.providers).toHaveLength(1);
    expect((await customProviders.deleteProvider(identifier)).error).toBeNull();
    expect((await customProviders.getProvider(identifier)).error?.code).toBe('custom_provider_not_found');
  });

  it('administers an application, consents to it, and lists and revokes its grant', async () => {
    const { oauth } = connect(server.serviceRoleKey).admin;
    const redirectUri = 'https://tool.example/callback';
    const { data: created } = await oauth.createClient({ client_name: 'Tool', redirect_uris: [redirectUri] });
    const id = created?.client_id ?? '';
    expect((await oauth.updateClient(id, { client_name: 'A tool' })).data?.client_name).toBe('A tool');
    expect((await oauth.listClients()).data.clients).toMatchObject([{ client_id: id }]);
    const secret = (await oauth.regenerateClientSecret(id)).data?.client_secret ?? '';
    const begin = async (): Promise<string> => {
      const query = new URLSearchParams({
        client_id: id,
        redirect_uri: redirectUri,
        code_challenge: 'v'.repeat(43),
        code_challenge_method: 'plain',
      });
      const url = `${server.url}/auth/v1/oauth/authorize?${query}`;
      const response = await server.fetch(url, { redirect: 'manual' });
      const page = new URL(response.headers.get('location') ?? 'about:blank');
      return page.searchParams.get('authorization_id') ?? '';
    };
    const { client, email } = await signedUp();
    const authorizationId = await begin();
    const { data: authorization } = await client.oauth.getAuthorizationDetails(authorizationId);
    expect(authorization).toMatchObject({ client: { id, name: 'A tool' }, user: { email }, scope: 'email' });
    const { data: approved } = await client.oauth.approveAuthorization(authorizationId);
    const code = new URL(approved?.redirect_url ?? '').searchParams.get('code') ?? '';
    const exchanged = await server.fetch(`${server.url}/auth/v1/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier: 'v'.repeat(43) }),
    });
    expect(exchanged.status).toBe(200);
    expect((await client.oauth.listGrants()).data).toMatchObject([{ client: { id }, scopes: ['email'] }]);
    expect((await client.oauth.revokeGrant({ clientId: id })).error).toBeNull();
    const deniedId = await begin();
    await client.oauth.getAuthorizationDetails(deniedId);
    const { data: denied } = await client.oauth.denyAuthorization(deniedId);
    expect(denied?.redirect_url).toContain('error=access_denied');
    expect((await oauth.deleteClient(id)).error).toBeNull();
    expect((await oauth.getClient(id)).error?.code).toBe('oauth_client_not_found');
  });
});

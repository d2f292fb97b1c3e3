import { describe, expect, it } from 'vitest';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import {
  type AuthClientOptions,
  type AuthStore,
  createAuthClient,
  createCookieStore,
  createMemoryStore,
} from '../../src/auth-client/index.ts';
import { readSessionCookies } from '../../src/auth-client/server/server-store.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createCookieJar } from '../auth-client/support/cookie-jar.ts';
import { useLocalSupabase } from '../support/local-supabase.ts';
import { toVerifyLink } from 'supabase-conformance';

const supabase = useLocalSupabase();
const HOME = 'http://localhost:5173/home';
const RESET = 'http://localhost:5173/reset-password';
const password = 'correct horse battery';
let people = 0;
const freshEmail = () => `auth-client-${(people += 1)}@example.com`;

/** A browser's page: two pages on one `store` are two tabs. */
async function openPage(
  store: AuthStore = createMemoryStore(),
  href = HOME,
  options: Partial<AuthClientOptions> = {},
) {
  let address = href;
  const events: string[] = [];
  const client = createAuthClient({
    url: supabase().url,
    apiKey: supabase().publishableKey,
    platform: createPlatform({ fetch: supabase().fetch }),
    store,
    callbackPaths: ['/home', '/reset-password'],
    address: { href: () => address, replace: (url) => void (address = url) },
    ...options,
  });
  client.onEvent(({ name }) => void events.push(name));
  await client.start();
  return { client, events, href: () => address };
}

/** Opens a mail's link as a browser does. */
async function follow(to: string): Promise<string> {
  const { links } = await supabase().mailbox.waitFor({ to });
  const link = toVerifyLink(links[0] ?? '', `${supabase().url}/auth/v1`) ?? '';
  const reply = await supabase().fetch(link, { redirect: 'manual' });
  return reply.headers.get('location') ?? '';
}

async function signedUp(store: AuthStore = createMemoryStore()) {
  const email = freshEmail();
  const asking = await openPage(store);
  await asking.client.signUp({ email, password, redirectTo: HOME });
  const { code } = await supabase().mailbox.waitFor({ to: email });
  await asking.client.verifyOtp({ type: 'signup', email, token: code ?? '' });
  return { ...asking, email, store };
}

describe('the auth client against the embedded server', () => {
  it('signs up, confirms by the link, and restores the session', async () => {
    const store = createMemoryStore();
    const email = freshEmail();
    const asking = await openPage(store);
    expect((await asking.client.signUp({ email, password, redirectTo: HOME })).session).toBeNull();
    const link = await follow(email);
    expect(link).toMatch(/^http:\/\/localhost:5173\/home\?code=/);
    const { client, events, href } = await openPage(store, link);
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', user: { email }, callbackError: null });
    expect(href()).toBe(HOME);
    expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
    expect((await client.getUser()).email).toBe(email);
    const reloaded = await openPage(store);
    expect(reloaded.client.getSnapshot().user?.email).toBe(email);
  });

  it('a link opened in another browser fails with its own code; the code of a new mail works', async () => {
    const { email, client } = await signedUp();
    await client.signInWithOtp({ email, redirectTo: HOME });
    const other = await openPage(createMemoryStore(), await follow(email));
    expect(other.client.getSnapshot().callbackError?.code).toBe('pkce-verifier-missing');
    expect(other.href()).toBe(HOME);
    await other.client.signInWithOtp({ email, redirectTo: HOME });
    const { code } = await supabase().mailbox.waitFor({ to: email });
    await other.client.verifyOtp({ type: 'email', email, token: code ?? '' });
    expect(other.client.getSnapshot().user?.email).toBe(email);
  });

  it('resets a password by the link: PASSWORD_RECOVERY until it is set', async () => {
    const { email, store, client } = await signedUp();
    await client.signOut();
    await client.resetPasswordForEmail({ email, redirectTo: RESET });
    const page = await openPage(store, await follow(email));
    expect(page.client.getSnapshot()).toMatchObject({ status: 'signed-in', recovery: true });
    expect(page.events).toEqual(['INITIAL_SESSION', 'PASSWORD_RECOVERY']);
    await page.client.updateUser({ password: 'another horse battery' });
    expect(page.client.getSnapshot().recovery).toBe(false);
    await page.client.signOut();
    await page.client.signInWithPassword({ email, password: 'another horse battery' });
    expect(page.client.getSnapshot().status).toBe('signed-in');
  });

  it('verifies its own claims against the published keys', async () => {
    const { client, email } = await signedUp();
    const keys = createClaims(client, { issuer: await issuerOf(client) });
    expect(await keys.getClaims()).toMatchObject({ email, role: 'authenticated', aud: 'authenticated' });
  });

  it('a server reads the cookies of the page', async () => {
    const jar = createCookieJar();
    const { client, email } = await signedUp(createCookieStore({ jar, secure: false }));
    const session = readSessionCookies(jar.cookie, 'sb-local-supabase-auth-token');
    expect(session?.user.email).toBe(email);
    client.close();
  });
});

async function issuerOf(client: { getAccessToken(): Promise<string | null> }): Promise<string> {
  const payload = (await client.getAccessToken())?.split('.')[1] ?? '';
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string }).iss;
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlatform } from '../../src/platform/index.ts';
import {
  createRequestCookies,
  createServerClients,
  parseCookieHeader,
  type CookieToSet,
} from '../../src/clients/server.ts';
import { ada, seedPassword, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import { expire } from '../support/session-cookies.ts';
import { createEdgeFunction } from '../../examples/servers/edge-function.ts';
import { servers } from '../support/example-servers.ts';
import { createFetchServer } from '../../examples/servers/request-response.ts';
import type { Project } from '../../examples/servers/routes.ts';

// A separate port: the key set's cache is by URL, and servers without a port share one.
const supabase = useLocalSupabase({ port: 0 });
const refreshes: string[] = [];
const project = (): Required<Project> => ({
  url: supabase().url,
  apiKey: supabase().publishableKey,
  fetch: (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url.includes('grant_type=refresh_token')) refreshes.push(url);
    return supabase().fetch(input, init);
  },
});
const credentials = { email: ada.email, password: seedPassword };

type Send = (request: Request) => Promise<Response>;

/** A browser: it keeps the cookies of responses and sends them. */
function createBrowser(send: Send) {
  const jar = new Map<string, string>();
  return {
    jar,
    async request(method: 'GET' | 'POST', path: string, body?: object) {
      const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
      const headers = { cookie, 'content-type': 'application/json' };
      const init = { method, headers, ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }) };
      const response = await send(new Request(`https://app.test${path}`, init));
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        const name = pair.slice(0, pair.indexOf('='));
        if (/max-age=0(;|$)/i.test(line)) jar.delete(name);
        else jar.set(name, pair.slice(name.length + 1));
      }
      return { response, body: (await response.json()) as Record<string, unknown> | null };
    },
  };
}

describe.each(Object.entries(servers))('%s', (_name, start) => {
  let send: Send;
  let close: (() => Promise<unknown>) | undefined;
  beforeAll(async () => ({ send, close } = { close: undefined, ...(await start(project())) }));
  afterAll(() => close?.());

  it('serves its page and its API to a session and the API to a bearer token, refuses a foreign code, and signs out', async () => {
    const browser = createBrowser(send);
    expect((await browser.request('GET', '/me')).response.status).toBe(401);
    const refused = await browser.request('GET', '/api/me');
    expect([refused.response.status, refused.body]).toEqual([401, { error: expect.any(String) as string }]);
    const signedIn = await browser.request('POST', '/login', credentials);
    expect(signedIn.body).toEqual({ email: ada.email });
    const cookie = signedIn.response.headers.getSetCookie().join();
    expect(cookie).toMatch(/-auth-token=base64-/);
    expect(cookie).toMatch(/Secure/i);
    const answered = { user: ada.id, hasCount: true };
    expect((await browser.request('GET', '/api/me')).body).toEqual(answered);
    const headers = { authorization: `Bearer ${await signIn(supabase(), ada.email)}` };
    const response = await send(new Request('https://app.test/api/me', { headers }));
    expect([response.status, await response.json()]).toEqual([200, answered]);
    const callback = await browser.request(
      'GET',
      '/callback?code=c0de0000-aaaa-4bbb-8ccc-000000000001&sb=&error_code=otp_expired&error=access_denied',
    );
    expect([callback.response.status, callback.body?.['code']]).toEqual([400, 'otp_expired']);
    expect((await browser.request('GET', '/me')).body, 'the session is kept').toEqual({
      email: ada.email,
      hasCount: true,
    });
    expect((await browser.request('POST', '/logout')).body).toEqual({ revoked: true });
    expect(browser.jar.size).toBe(0);
    expect((await browser.request('GET', '/me')).response.status).toBe(401);
  });

  it('refreshes a session with less than 90 s left once for concurrent requests, and forbids caching', async () => {
    const browser = createBrowser(send);
    await browser.request('POST', '/login', credentials);
    expire(browser.jar, 60);
    refreshes.length = 0;
    const responses = await Promise.all(Array.from({ length: 5 }, () => browser.request('GET', '/me')));
    expect(responses.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
    expect(refreshes).toHaveLength(1);
    for (const { response } of responses) {
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect(response.headers.getSetCookie().join()).toMatch(/-auth-token=/);
    }
    expect((await browser.request('GET', '/me')).response.status).toBe(200);
    expect(refreshes).toHaveLength(1);
  });
});

it('an edge function accepts a bearer token, and responds to the preflight of a page', async () => {
  const me = createEdgeFunction(project());
  const token = await signIn(supabase(), ada.email);
  const headers = { authorization: `Bearer ${token}` };
  const response = await me(new Request('https://app.test/me', { headers }));
  expect(await response.json()).toEqual({ user: ada.id, hasCount: true });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect((await me(new Request('https://app.test/me', { method: 'OPTIONS' }))).status).toBe(204);
  expect((await me(new Request('https://app.test/me'))).status).toBe(401);
});

it('completes the PKCE flow of an earlier request in a later one', async () => {
  const jar = new Map<string, string>();
  const clientsOfRequest = () =>
    createServerClients({
      ...project(),
      platform: createPlatform({ fetch: project().fetch }),
      cookies: {
        getAll: () => Array.from(jar, ([name, value]) => ({ name, value })),
        setAll: (cookies: readonly CookieToSet[]) =>
          cookies.forEach(({ name, value, options }) =>
            options.maxAge > 0 ? jar.set(name, value) : jar.delete(name),
          ),
      },
    });
  const { auth } = clientsOfRequest();
  await auth.signInWithOtp({ email: ada.email, redirectTo: 'http://localhost:5173/home' });
  expect([...jar.keys()].some((name) => name.endsWith('-code-verifier'))).toBe(true);
  const { links } = await supabase().mailbox.waitFor({ to: ada.email });
  const hash = /token_hash=([\w-]+)|[?&]token=([\w-]+)/.exec(links[0] ?? '');
  const verify = `${supabase().url}/auth/v1/verify?type=magiclink&token=${hash?.[1] ?? hash?.[2] ?? ''}&redirect_to=${encodeURIComponent('http://localhost:5173/home')}`;
  const redirect = await supabase().fetch(verify, { redirect: 'manual' });
  const callback = redirect.headers.get('location') ?? '';
  expect(callback).toContain('code=');
  const later = clientsOfRequest();
  expect(await later.auth.handleCallback(callback)).toMatchObject({
    status: 'signed-in',
    callbackError: null,
  });
  expect([...jar.keys()].some((name) => name.endsWith('-code-verifier'))).toBe(false);
  expect((await clientsOfRequest().auth.getUser()).email).toBe(ada.email);
});

it.each([
  [undefined, true],
  [{ secure: false }, false],
])('the cookies of a session with the options %j are for https only: %s', async (cookieOptions, isSecure) => {
  const headers = new Headers();
  const cookies = createRequestCookies(new Request('http://localhost'), headers);
  const { auth } = createServerClients({ ...project(), cookies, cookieOptions });
  await auth.signInWithPassword(credentials);
  const [cookie] = headers.getSetCookie();
  expect([cookie?.includes('-auth-token'), cookie?.includes('; Secure')]).toEqual([true, isSecure]);
});

it('without setAll a refreshed session lasts for the request, and the browser’s cookies stay valid', async () => {
  const browser = createBrowser(createFetchServer(project()));
  await browser.request('POST', '/login', credentials);
  expire(browser.jar, -10);
  const cookies = parseCookieHeader(Array.from(browser.jar, (pair) => pair.join('=')).join('; '));
  const platform = createPlatform({ fetch: project().fetch });
  const { auth } = createServerClients({ ...project(), platform, cookies: { getAll: () => cookies } });
  expect((await auth.getUser()).email).toBe(ada.email);
  expect((await browser.request('GET', '/me')).response.status).toBe(200);
});

it('a request that joins a refresh later stores the same session, whose age counts from the response', async () => {
  const browser = createBrowser(createFetchServer(project()));
  await browser.request('POST', '/login', credentials);
  expire(browser.jar, -10);
  const sent = parseCookieHeader(Array.from(browser.jar, (pair) => pair.join('=')).join('; '));
  const platform = createPlatform({ fetch: project().fetch });
  const cookiesAfter = async (laterMs: number) => {
    const set: CookieToSet[] = [];
    const { auth } = createServerClients({
      ...project(),
      platform: {
        ...platform,
        clock: {
          ...platform.clock,
          now: () => platform.clock.now() + laterMs,
          monotonicMs: () => platform.clock.monotonicMs() + laterMs,
        },
      },
      cookies: { getAll: () => sent, setAll: (cookies) => set.push(...cookies) },
    });
    await auth.getAccessToken();
    return set;
  };
  refreshes.length = 0;
  const first = await cookiesAfter(0);
  expect(first).not.toEqual([]);
  expect(await cookiesAfter(8_000)).toEqual(first);
  expect(refreshes).toHaveLength(1);
});

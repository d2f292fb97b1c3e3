import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import {
  createRequestCookies,
  createServerClients,
  verifyRequest,
  type VerifyRequestOptions,
} from '../../src/clients/server.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createClient } from '../../src/compat/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { encodeCookies } from '../../src/auth-client/storage/cookie-codec.ts';
import { page, refusal, userOf } from '../support/wire/replies.ts';

const HOUR = 3600;
const KEY = 'sb-project-auth-token';
const apiKey = 'sb_publishable_x';
const url = 'http://project.test';
const signer = generateKeyPair('ES256', { extractable: true }).then(async ({ privateKey, publicKey }) => ({
  privateKey,
  jwk: { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' },
}));
const seconds = () => Math.floor(Date.now() / 1000);

/** A token that expired (or will) `age` seconds ago. */
async function tokenOfAge(age: number, more: object = {}) {
  const exp = seconds() - age;
  const claims = { sub: 'ada', iss: `${url}/auth/v1`, aud: 'authenticated', role: 'authenticated' };
  return new SignJWT({ ...claims, iat: exp - HOUR, exp, ...more })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign((await signer).privateKey);
}

/** A platform with an auth server that refuses each refresh, or renews the session. */
function platformOf({ skewSeconds = 0, renews = false } = {}) {
  const sent: string[] = [];
  const fetch = async (input: RequestInfo | URL) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    sent.push(pathname);
    if (pathname.endsWith('jwks.json')) return Response.json({ keys: [(await signer).jwk] });
    if (pathname.endsWith('/logout')) return new Response(null, { status: 204 });
    if (!renews) return refusal(400, 'refresh_token_not_found');
    const access_token = await tokenOfAge(-HOUR);
    const expires_at = seconds() + HOUR;
    return Response.json({
      access_token,
      refresh_token: 'r2',
      expires_in: HOUR,
      expires_at,
      user: userOf('ada'),
    });
  };
  const platform = createPlatform({ fetch });
  const clock = { ...platform.clock, now: () => Date.now() + skewSeconds * 1000 };
  const refreshes = () => sent.filter((path) => path.endsWith('/token')).length;
  return { fetch, platform: { ...platform, clock }, refreshes };
}

/** A forged record of a cookie or storage: each member claims that the token is fresh. */
const lying = (access_token: string) => ({
  access_token,
  refresh_token: 'r1',
  expires_in: HOUR,
  expires_at: seconds() + HOUR,
  received_at: Date.now(),
  user: userOf('ada'),
});
/** The reported case: `expires_at` is that of the token, and the receipt is now. */
const lyingAboutReceipt = (access_token: string, age: number) => ({
  ...lying(access_token),
  expires_at: seconds() - age,
});

function requestWith(record: object | null, bearer?: string) {
  const cookies = record ? encodeCookies(KEY, JSON.stringify(record)) : [];
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return new Request('https://app.test/', {
    headers: { ...(record && { cookie }), ...(bearer && { authorization: `Bearer ${bearer}` }) },
  });
}

interface Sent {
  readonly token: string;
  readonly record: object;
}
const memoryOf = (record: object) => {
  const store = createMemoryStore();
  store.set(KEY, JSON.stringify(record));
  return store;
};
const serverAuth = ({ record }: Sent) => {
  const cookies = createRequestCookies(requestWith(record), new Headers());
  return createServerClients({ url, apiKey, cookies, platform: platformOf().platform }).auth;
};
const compatAuth = ({ record }: Sent) => {
  const store = memoryOf(record);
  const storage = { getItem: store.get, setItem: store.set, removeItem: store.remove };
  const options = { auth: { storage, autoRefreshToken: false }, global: { fetch: platformOf().fetch } };
  return createClient(url, apiKey, options).auth;
};
const pageAuth = ({ record }: Sent) =>
  createSupabaseClients({ url, apiKey, store: memoryOf(record), platform: platformOf().platform }).auth;
const verified = async (request: Request) => {
  const { platform } = platformOf();
  const { claims } = await verifyRequest(request, { url, apiKey, allow: 'user', platform });
  return claims?.sub ?? null;
};
const subOf = async (claims: Promise<{ sub?: string | undefined } | null>) => (await claims)?.sub ?? null;

/** Each way to verify a token; returns its subject. */
const doors: readonly (readonly [string, (sent: Sent) => Promise<string | null>])[] = [
  ['verifyRequest, bearer', ({ token }) => verified(requestWith(null, token))],
  ['verifyRequest, cookie', ({ record }) => verified(requestWith(record))],
  ['verifyRequest, bearer and cookie', ({ token, record }) => verified(requestWith(record, token))],
  ['a server client, its session', (sent) => subOf(createClaims(serverAuth(sent)).getClaims())],
  [
    'a server client that has read its session, a given token',
    async (sent) => {
      const auth = serverAuth(sent);
      await auth.getAccessToken();
      return subOf(createClaims(auth).getClaims({ accessToken: sent.token }));
    },
  ],
  ['compat, its session', async (sent) => (await compatAuth(sent).getClaims()).data?.claims.sub ?? null],
  [
    'compat that has read its session, a given token',
    async (sent) => {
      const auth = compatAuth(sent);
      await auth.getSession();
      return (await auth.getClaims(sent.token)).data?.claims.sub ?? null;
    },
  ],
  ['a page, its session', (sent) => subOf(createClaims(pageAuth(sent)).getClaims())],
  [
    'a page that has read its session, a given token',
    async (sent) => {
      const auth = pageAuth(sent);
      await auth.start();
      return subOf(createClaims(auth).getClaims({ accessToken: sent.token }));
    },
  ],
];

describe.each(doors)('%s', (_name, verify) => {
  it.each([10, HOUR, 30 * 24 * HOUR, 365 * 24 * HOUR])(
    'refuses a token that expired %i s ago, regardless of the claims of its sender',
    async (age) => {
      const token = await tokenOfAge(age);
      for (const record of [lying(token), lyingAboutReceipt(token, age)])
        expect(await verify({ token, record }).catch(() => 'refused')).toBeOneOf(['refused', null]);
    },
  );

  it('refuses a token that is not valid yet', async () => {
    const token = await tokenOfAge(-HOUR, { nbf: seconds() + 600 });
    expect(await verify({ token, record: lying(token) }).catch(() => 'refused')).toBeOneOf(['refused', null]);
  });

  it('accepts a valid token', async () => {
    const token = await tokenOfAge(-HOUR);
    expect(await verify({ token, record: lying(token) })).toBe('ada');
  });
});

describe('a server that reaches the project by an internal URL', () => {
  const internal = { url: 'http://kong:8000', apiKey, allow: 'user' } as const;
  const requestNamed = (key: string, token: string) => {
    const cookie = encodeCookies(key, JSON.stringify(lying(token))).map(
      ({ name, value }) => `${name}=${value}`,
    );
    return new Request('https://app.test/', { headers: { cookie: cookie.join('; ') } });
  };

  it.each([
    ['the public URL names the cookies', 'sb-api-auth-token', { publicUrl: 'https://api.acme.com' }],
    ['a storage key names them', 'acme', { auth: { storageKey: 'acme' } }],
    ['without either, its own URL names them', 'sb-kong-auth-token', {}],
  ])('finds the session of the browser: %s', async (_name, key, options) => {
    const { platform } = platformOf();
    const request = requestNamed(key, await tokenOfAge(-HOUR));
    const verified = await verifyRequest(request, { ...internal, ...options, platform });
    expect(verified).toMatchObject({ caller: 'user', claims: { sub: 'ada' } });
  });

  it.each([
    [{ issuer: 'https://api.acme.com' }, 'user'],
    [{ issuer: 'https://other.test' }, 401],
    [{ audience: 'mobile' }, 'user'],
    [{ audience: 'desktop' }, 401],
  ])('accepts a token of the stated issuer or audience alone: %j', async (parties, outcome) => {
    const { platform } = platformOf();
    const token = await tokenOfAge(-HOUR, { iss: 'https://api.acme.com', aud: ['authenticated', 'mobile'] });
    for (const request of [requestWith(null, token), requestNamed('sb-kong-auth-token', token)]) {
      const verified = verifyRequest(request, { ...internal, ...parties, platform });
      const result = verified.then(
        ({ caller }) => caller,
        ({ status }) => status as number,
      );
      expect(await result).toBe(outcome);
    }
  });

  it('sends browsers to the public URL for a sign-in with a provider', async () => {
    const cookies = { getAll: () => [], setAll: () => undefined };
    const publicUrl = 'https://api.acme.com';
    const { auth } = createServerClients({ url: internal.url, publicUrl, apiKey, cookies });
    const { url: target } = await auth.signInWithOAuth({ provider: 'github' });
    expect(target).toMatch(/^https:\/\/api\.acme\.com\/auth\/v1\/authorize\?provider=github/);
    const options = { url: internal.url, apiKey, cookies, publicUrl: 'api.acme.com' };
    expect(() => createServerClients(options)).toThrow(/publicUrl/);
  });
});

it('a server client opens no channel to the other clients of its process', async () => {
  const { platform } = platformOf();
  const openTabChannel = vi.fn<typeof platform.openTabChannel>(platform.openTabChannel);
  const cookies = createRequestCookies(requestWith(lying(await tokenOfAge(-HOUR))), new Headers());
  const { auth } = createServerClients({ url, apiKey, cookies, platform: { ...platform, openTabChannel } });
  expect(await auth.getAccessToken()).not.toBeNull();
  expect(openTabChannel).not.toHaveBeenCalled();
});

describe('a session that is refreshed', () => {
  const almostExpired = async () => ({
    ...lying(await tokenOfAge(-30)),
    expires_at: seconds() + 30,
    refresh_token: crypto.randomUUID(),
  });

  it('is set once by several clients of a request', async () => {
    const { platform, refreshes } = platformOf({ renews: true });
    const headers = new Headers();
    const request = requestWith(await almostExpired());
    const clients = [1, 2, 3].map(() =>
      createServerClients({ url, apiKey, cookies: createRequestCookies(request, headers), platform }),
    );
    const tokens = await Promise.all(clients.map(({ auth }) => auth.getAccessToken()));
    expect([new Set(tokens).size, refreshes(), headers.getSetCookie().length]).toEqual([1, 1, 1]);
  });

  it('is refreshed by its own project, where another one has an equal refresh token', async () => {
    const record = await almostExpired();
    const refreshed = await Promise.all(
      ['http://project.test', 'http://project.other.test'].map(async (ownUrl) => {
        const { platform, refreshes } = platformOf({ renews: true });
        const cookies = createRequestCookies(requestWith(record), new Headers());
        await createServerClients({ url: ownUrl, apiKey, cookies, platform }).auth.getAccessToken();
        return refreshes();
      }),
    );
    expect(refreshed).toEqual([1, 1]);
  });
});

describe('a token that the auth server verifies', () => {
  it.each([
    [403, 'bad_jwt', { code: 'no_authorization', status: 401 }],
    [429, 'over_request_rate_limit', { code: 'over_request_rate_limit', status: 429 }],
    [503, 'unexpected_failure', { code: 'unexpected_failure', status: 503 }],
  ])('is refused only when the server refuses it, not in an outage: %i', async (status, code, problem) => {
    const token = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new Uint8Array(32));
    const platform = createPlatform({ fetch: async () => refusal(status, code) });
    const verified = verifyRequest(requestWith(null, token), { url, apiKey, allow: 'user', platform });
    await expect(verified).rejects.toMatchObject(problem);
  });
});

describe('a request whose token cannot be judged', () => {
  it.each<[string, () => Promise<Response>, object, Partial<VerifyRequestOptions>?]>([
    ['a page of a proxy', async () => page(404), { code: 'not-the-service', status: 404 }],
    [
      'a redirect',
      async () => new Response(null, { status: 302, headers: { location: '/' } }),
      { code: 'redirected', status: null },
    ],
    ['no response', async () => Promise.reject(new TypeError('fetch failed')), { code: 'network' }],
    ['no response in time', () => new Promise(() => {}), { code: 'timeout' }, { auth: { timeoutMs: 1 } }],
  ])(
    'is neither accepted nor refused where the auth server sends %s',
    async (_, respond, problem, options) => {
      const token = await new SignJWT({ sub: 'ada' })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new Uint8Array(32));
      const platform = createPlatform({ fetch: respond });
      const verified = verifyRequest(requestWith(null, token), {
        url,
        apiKey,
        allow: 'user',
        platform,
        ...options,
      });
      await expect(verified).rejects.toMatchObject(problem);
    },
  );

  it('is neither accepted nor refused where the runtime lacks the algorithm', async () => {
    const token = await tokenOfAge(-HOUR);
    const { platform } = platformOf();
    const lacking = new DOMException('Unrecognized algorithm', 'NotSupportedError');
    const importKey = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(lacking);
    onTestFinished(() => importKey.mockRestore());
    const options = { url: 'http://runtime.test', apiKey, allow: 'user', platform } as const;
    const verified = verifyRequest(requestWith(null, token), options);
    await expect(verified).rejects.toMatchObject({ code: 'unsupported-runtime', cause: lacking });
  });
});

describe('the sender of a request', () => {
  const secretKey = 'sb_secret_x';
  const everyone = ['user', 'service', 'publishable'] as const;
  const verify = (headers: HeadersInit, options: Partial<VerifyRequestOptions> = {}) =>
    verifyRequest(new Request('https://app.test/', { headers }), {
      url,
      apiKey,
      secretKey,
      allow: everyone,
      platform: platformOf().platform,
      ...options,
    });

  it.each(['Bearer', 'bearer', 'BEARER '])('is a user by the scheme “%s”', async (scheme) => {
    const authorization = `${scheme} ${await tokenOfAge(-HOUR)}`;
    expect(await verify({ authorization })).toMatchObject({ caller: 'user', claims: { sub: 'ada' } });
  });

  it.each<[string, () => Promise<HeadersInit>, Partial<VerifyRequestOptions>, object]>([
    [
      'an empty key is given and configured',
      async () => ({ apikey: '' }),
      { secretKey: '' },
      { message: 'The request has no credentials' },
    ],
    [
      'the scheme is another one',
      async () => ({ authorization: `Basic ${await tokenOfAge(-HOUR)}` }),
      {},
      { message: 'The request has no credentials' },
    ],
    [
      'the scheme only ends like the known one',
      async () => ({ authorization: `Xbearer ${await tokenOfAge(-HOUR)}` }),
      {},
      { message: 'The request has no credentials' },
    ],
    [
      'more follows the token',
      async () => ({ authorization: `Bearer ${await tokenOfAge(-HOUR)} more` }),
      {},
      { message: 'The request has no credentials' },
    ],
    [
      'the token has expired',
      async () => ({ authorization: `Bearer ${await tokenOfAge(HOUR)}` }),
      {},
      { message: 'The token is refused', cause: { code: 'token-expired' } },
    ],
    [
      'the token has the role of a service',
      async () => ({ authorization: `Bearer ${await tokenOfAge(-HOUR, { role: 'service_role' })}` }),
      {},
      { message: 'The token is not a user’s' },
    ],
  ])('is refused where %s', async (_, headers, options, problem) => {
    const refused = verify(await headers(), options);
    await expect(refused).rejects.toMatchObject({ code: 'no_authorization', status: 401, ...problem });
  });

  it('is the user of the cookies where the bearer is the publishable key', async () => {
    const record = lying(await tokenOfAge(-HOUR));
    expect(await verify(requestWith(record, apiKey).headers)).toMatchObject({
      caller: 'user',
      claims: { sub: 'ada' },
    });
  });

  it.each<[string, () => Promise<HeadersInit>, VerifyRequestOptions['allow']]>([
    ['a service', async () => ({ apikey: secretKey }), ['user', 'application', 'publishable']],
    [
      'a user',
      async () => ({ authorization: `Bearer ${await tokenOfAge(-HOUR)}` }),
      ['application', 'service', 'publishable'],
    ],
    [
      'an application',
      async () => ({ authorization: `Bearer ${await tokenOfAge(-HOUR, { client_id: 'crm' })}` }),
      ['user', 'service', 'publishable'],
    ],
    [
      'the holder of the publishable key',
      async () => ({ apikey: apiKey }),
      ['user', 'application', 'service'],
    ],
  ])('is refused as %s where all other callers are allowed', async (_, headers, allow) => {
    await expect(verify(await headers(), { allow })).rejects.toMatchObject({
      code: 'no_authorization',
      status: 403,
    });
  });

  it('is found in its own request, where two requests share the headers of a response', async () => {
    const responseHeaders = new Headers();
    const { headers } = requestWith(lying(await tokenOfAge(-HOUR)));
    expect(await verify(headers, { responseHeaders })).toMatchObject({ claims: { sub: 'ada' } });
    await expect(verify({}, { responseHeaders })).rejects.toMatchObject({
      message: 'The request has no credentials',
    });
  });

  const senders: readonly (readonly [
    string,
    (token: string) => HeadersInit,
    string,
    (token: string) => string | null,
  ])[] = [
    ['a bearer token', (token) => ({ authorization: `Bearer ${token}` }), apiKey, (token) => token],
    ['cookies', (token) => requestWith(lying(token)).headers, apiKey, (token) => token],
    ['the secret key', () => ({ apikey: secretKey }), secretKey, () => null],
    ['the publishable key', () => ({ apikey: apiKey }), apiKey, () => null],
  ];

  it.each(senders)('by %s has the further options of the REST client', async (_, headers) => {
    const { platform } = platformOf();
    let attempts = 0;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.includes('/rest/')) return platform.fetch(request);
      attempts += 1;
      return page(503);
    };
    const options = { fetch, rest: { retry: { limit: 0 } } };
    const { rest } = await verify(headers(await tokenOfAge(-HOUR)), options);
    await expect(rest.from('notifications').select('id')).rejects.toMatchObject({ status: 503 });
    expect(attempts).toBe(1);
  });

  it.each(senders)(
    'by %s sends further requests with its key and token, and the headers of the options',
    async (_, headers, key, own) => {
      const token = await tokenOfAge(-HOUR);
      const sent: Headers[] = [];
      const { platform } = platformOf();
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const request = new Request(input, init);
        if (!request.url.includes('/rest/')) return platform.fetch(request);
        sent.push(request.headers);
        return Response.json(7);
      };
      const { rest, connection } = await verify(headers(token), {
        fetch,
        headers: { 'x-all': '1' },
        rest: { headers: { 'x-rest': '2' } },
      });
      expect(await rest.rpc('seven')).toBe(7);
      const names = ['apikey', 'authorization', 'x-all', 'x-rest'];
      expect(sent.map((each) => names.map((name) => each.get(name)))).toEqual([
        [key, own(token) && `Bearer ${own(token)}`, '1', '2'],
      ]);
      expect([connection.apiKey, await connection.getAccessToken?.()]).toEqual([key, own(token)]);
    },
  );

  it('is the user of a session that is renewed for this request, also where the response gets no cookies', async () => {
    const { platform, refreshes } = platformOf({ renews: true });
    const old = await tokenOfAge(-30);
    const record = { ...lying(old), expires_at: seconds() + 30, refresh_token: 'of a read-only request' };
    const { claims, connection } = await verify(requestWith(record).headers, { platform });
    expect([claims?.sub, refreshes()]).toEqual(['ada', 1]);
    const renewed = await connection.getAccessToken?.();
    expect(decodeJwt(String(renewed)).exp).toBeGreaterThan(seconds() + HOUR / 2);
  });
});

describe('the clock of a verification', () => {
  it.each([
    [-2 * HOUR, 'ada'],
    [2 * HOUR, 'token-expired'],
  ])(
    'is the server’s own, regardless of the time in a response, here off by %i s',
    async (skewSeconds, outcome) => {
      const { platform } = platformOf({ skewSeconds, renews: true });
      const cookies = createRequestCookies(new Request('https://app.test/'), new Headers());
      const { auth } = createServerClients({ url, apiKey, cookies, platform });
      await auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
      const accessToken = await tokenOfAge(-HOUR);
      const claims = createClaims(auth).getClaims({ accessToken });
      expect(await subOf(claims).catch(({ code }) => code)).toBe(outcome);
    },
  );

  it.each([-2 * HOUR, 2 * HOUR])(
    'is corrected in a page by the response that this page received: a clock off by %i s',
    async (skewSeconds) => {
      const { platform } = platformOf({ skewSeconds, renews: true });
      const { auth } = createSupabaseClients({ url, apiKey, store: createMemoryStore(), platform });
      await auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
      const { getClaims } = createClaims(auth);
      expect(await getClaims()).toMatchObject({ sub: 'ada' });
      const expired = getClaims({ accessToken: await tokenOfAge(60) });
      await expect(expired).rejects.toMatchObject({ code: 'token-expired' });
      auth.close();
    },
  );

  it('costs a page whose clock is ahead one refresh, after which its session is verified', async () => {
    const { platform, refreshes } = platformOf({ skewSeconds: 2 * HOUR, renews: true });
    const token = await tokenOfAge(-HOUR);
    const store = memoryOf({ ...lying(token), received_at: Date.now() + 2 * HOUR * 1000 });
    const { auth } = createSupabaseClients({ url, apiKey, store, platform });
    const { getClaims } = createClaims(auth);
    for (let n = 0; n < 5; n += 1) expect(await getClaims()).toMatchObject({ sub: 'ada' });
    expect(refreshes()).toBe(1);
    auth.close();
  });

  it('is not set by the tokens and the lifetime of a link', async () => {
    const { platform } = platformOf({ skewSeconds: 0 });
    const halfOld = await tokenOfAge(-60);
    const fetch = async (input: RequestInfo | URL) =>
      new URL(input instanceof Request ? input.url : input).pathname.endsWith('/user')
        ? Response.json(userOf('ada'))
        : platform.fetch(input);
    let href = `https://app.test/#access_token=${halfOld}&refresh_token=r&expires_in=${HOUR}&sb=`;
    const { auth } = createSupabaseClients({
      url,
      apiKey,
      store: createMemoryStore(),
      platform: { ...platform, fetch },
      auth: {
        acceptImplicitFlow: true,
        address: { href: () => href, replace: (next) => void (href = next) },
      },
    });
    expect(await auth.start()).toMatchObject({ status: 'signed-in' });
    const expired = createClaims(auth).getClaims({ accessToken: await tokenOfAge(60) });
    await expect(expired).rejects.toMatchObject({ code: 'token-expired' });
    auth.close();
  });
});

import { createBrowserClient, createServerClient } from '@supabase/ssr';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCookieStore, parseCookieHeader } from '../../src/auth-client/storage/cookie-store.ts';
import { decodeCookies } from '../../src/auth-client/storage/cookie-codec.ts';
import {
  cookiesToSet,
  type CookieToSet,
  NO_STORE_HEADERS,
  serializeCookie,
} from '../../src/auth-client/server/cookies-to-set.ts';
import type { AuthStore } from '../../src/auth-client/storage/store.ts';
import {
  createRequestState,
  createServerStore,
  readSessionCookies,
} from '../../src/auth-client/server/server-store.ts';
import { createRequestCookies } from '../../src/clients/server.ts';
import { createCookieJar } from './support/cookie-jar.ts';
import { createHarness } from './support/harness.ts';
import { sessionReply } from '../support/wire/replies.ts';
import vectors from './vectors/auth-cookies.json' with { type: 'json' };

const KEY = 'sb-project-auth-token';

describe('vectors written by @supabase/ssr', () => {
  it.each(vectors.cases)(
    '$name: is written as by the vendor, byte for byte',
    ({ storageKey, before, session, cookies }) => {
      expect(cookiesToSet(storageKey, JSON.stringify(session), before, {})).toEqual(cookies);
    },
  );

  it.each(vectors.cases)('$name: is read identically', ({ storageKey, before, session, cookies }) => {
    const left = new Map([...before, ...cookies].map(({ name, value }) => [name, value]));
    const list = Array.from(left, ([name, value]) => ({ name, value }));
    expect(readSessionCookies(list, storageKey)).toMatchObject(session);
  });
});

describe('layout', () => {
  const bytesFor = (length: number) => {
    // A JSON text whose cookie value, prefix included, has `length` characters.
    const text = JSON.stringify('x'.repeat(Math.floor(((length - 7) * 3) / 4) - 2));
    expect(`base64-${Buffer.from(text).toString('base64url')}`).toHaveLength(length);
    return text;
  };

  it.each([
    // A base64url text with its prefix never has 3180 characters exactly.
    [3179, ['k']],
    [3181, ['k.0', 'k.1']],
  ])('a value of %i characters has the chunks of the vendor', (length, names) => {
    const jar = createCookieJar();
    createCookieStore({ jar, secure: false }).set('k', bytesFor(length));
    expect(jar.names()).toEqual(names);
  });

  it('a cookie has path /, SameSite lax and 34,560,000 s, is not HttpOnly, and is Secure on https', () => {
    const jar = createCookieJar();
    createCookieStore({ jar, secure: true }).set('k', '1');
    expect(jar.writes).toEqual(['k=base64-MQ; Max-Age=34560000; Path=/; SameSite=lax; Secure']);
  });

  it('a value that shrinks from 3 to 2 chunks leaves no chunk behind', () => {
    const jar = createCookieJar();
    const store = createCookieStore({ jar, secure: false });
    store.set('k', bytesFor(6999));
    store.set('k', bytesFor(3999));
    expect(jar.names()).toEqual(['k.0', 'k.1']);
    expect(store.get('k')).toBe(bytesFor(3999));
  });

  it("a store with a domain deletes the key's host-only cookies first", () => {
    const jar = createCookieJar('k=base64-MQ; other=1');
    createCookieStore({ jar, secure: false, domain: 'app.test' }).remove('k');
    expect(jar.writes).toEqual([
      'k=; Max-Age=0; Path=/; SameSite=lax',
      'k=; Max-Age=0; Path=/; SameSite=lax; Domain=app.test',
    ]);
  });

  it('touches no cookie of another key', () => {
    const jar = createCookieJar('k.x=1; k.01=2; kk=3; k-code-verifier=4; k.0=base64-');
    createCookieStore({ jar, secure: false }).remove('k');
    expect(jar.names()).toEqual(['k.x', 'k.01', 'kk', 'k-code-verifier']);
  });
});

describe('integrity', () => {
  const long = JSON.stringify('y'.repeat(6000));

  it('a chunk left by a longer value is not joined', () => {
    const jar = createCookieJar();
    const store = createCookieStore({ jar, secure: false });
    store.set('k', long);
    jar.cookie = 'k.3=bGVmdG92ZXI';
    expect(store.get('k')).toBe(long);
  });

  it.each([
    ['a missing chunk', (jar: { cookie: string }) => (jar.cookie = 'k.1=; Max-Age=0')],
    ['a chunk of another write', (jar: { cookie: string }) => (jar.cookie = `k.1=${'A'.repeat(3180)}`)],
    ['a chunk that is no base64', (jar: { cookie: string }) => (jar.cookie = `k.1=${'*'.repeat(3180)}`)],
  ])('%s: no session, and the rest is cleared', (_name, corrupt) => {
    const jar = createCookieJar();
    const store = createCookieStore({ jar, secure: false });
    store.set('k', long);
    corrupt(jar);
    expect(store.get('k')).toBeNull();
    expect(jar.names()).toEqual([]);
  });

  it('chunks of two users are refused', async () => {
    const harness = createHarness();
    const mixed = { ...sessionReply('ada', 1), user: sessionReply('bob', 1).user };
    await harness.store.set(KEY, JSON.stringify(mixed));
    const { client, tab } = harness.open();
    await client.start();
    expect(client.getSnapshot().status).toBe('signed-out');
    expect(await harness.store.get(KEY)).toBeNull();
    expect(tab.reported).toHaveLength(1);
  });

  it('warns near the header limits of servers', () => {
    const sizes: number[] = [];
    const store = createCookieStore({
      jar: createCookieJar(),
      secure: false,
      onLarge: (bytes) => sizes.push(bytes),
    });
    store.set('k', JSON.stringify('x'.repeat(4000)));
    store.set('k', JSON.stringify('x'.repeat(6000)));
    expect(sizes).toHaveLength(1);
  });

  it('any JSON text is restored, over any earlier value', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 4000 }), { minLength: 1 }), (texts) => {
        const jar = createCookieJar();
        const store = createCookieStore({ jar, secure: false });
        for (const text of texts) store.set('k', JSON.stringify(text));
        const last = JSON.stringify(texts.at(-1));
        const cookies = new Map(parseCookieHeader(jar.cookie).map(({ name, value }) => [name, value]));
        expect(decodeCookies('k', (name) => cookies.get(name))).toBe(last);
      }),
      { numRuns: 50 },
    );
  });
});

describe('together with @supabase/ssr on the same cookies', () => {
  const cookiesOf = (jar: ReturnType<typeof createCookieJar>) => ({
    getAll: () => parseCookieHeader(jar.cookie),
    setAll: (list: { name: string; value: string; options: { maxAge?: number } }[]) => {
      for (const { name, value, options } of list)
        jar.cookie = `${name}=${value}; Max-Age=${options.maxAge ?? 1}`;
    },
  });
  const session = (size: number) => ({
    ...sessionReply('ada', 1),
    expires_at: 4_102_444_800,
    user: { ...sessionReply('ada', 1).user, user_metadata: { note: 'Zoë 漢字 🚀'.repeat(size) } },
  });
  const noSockets = { transport: Object as unknown as typeof WebSocket };
  const auth = { autoRefreshToken: false, detectSessionInUrl: false };

  it.each([1, 400])('the vendor’s client reads the cookies of this client (metadata × %i)', async (size) => {
    const harness = createHarness();
    const jar = createCookieJar();
    const { client } = harness.open({ store: createCookieStore({ jar, secure: false }) });
    await client.start();
    harness.server.next(Response.json(session(size)));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    const theirs = createServerClient('http://project.test', 'publishable', {
      cookies: cookiesOf(jar),
      auth,
      realtime: noSockets,
    });
    const { data } = await theirs.auth.getSession();
    expect(data.session?.access_token).toBe(session(size).access_token);
    expect(data.session?.refresh_token).toBe(session(size).refresh_token);
    expect(JSON.parse(JSON.stringify(data.session?.user)) as unknown).toMatchObject(session(size).user);
  });

  it.each([1, 400])('this client reads the cookies of the vendor’s client (metadata × %i)', async (size) => {
    const harness = createHarness();
    const jar = createCookieJar();
    const theirs = createBrowserClient('http://project.test', 'publishable', {
      cookies: cookiesOf(jar),
      auth,
      isSingleton: false,
      realtime: noSockets,
      global: { fetch: async () => Response.json(session(size)) },
    });
    const { error } = await theirs.auth.signInWithPassword({
      email: 'ada@example.com',
      password: 'correct horse',
    });
    expect(error).toBeNull();
    const { client } = harness.open({ store: createCookieStore({ jar, secure: false }) });
    await client.start();
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', user: session(size).user });
    expect(await client.getAccessToken()).toBe(session(size).access_token);
  });

  it('either client completes a PKCE flow of the other', async () => {
    const harness = createHarness();
    const jar = createCookieJar();
    const ours = harness.open({ store: createCookieStore({ jar, secure: false }) });
    const bodies: Record<string, unknown>[] = [];
    const theirs = createServerClient('http://project.test', 'publishable', {
      cookies: cookiesOf(jar),
      auth: { ...auth, flowType: 'pkce' },
      realtime: noSockets,
      global: {
        fetch: async (_url, init) => {
          bodies.push(JSON.parse(init?.body as string) as Record<string, unknown>);
          return Response.json(session(1));
        },
      },
    });
    harness.server.on('POST /recover', () => Response.json({}));
    await ours.client.resetPasswordForEmail({ email: 'ada@example.com' });
    await theirs.auth.exchangeCodeForSession('code-1');
    const { createHash } = await import('node:crypto');
    const challenge = createHash('sha256').update(String(bodies[0]?.['code_verifier'])).digest('base64url');
    expect(harness.server.sent[0]?.body?.['code_challenge']).toBe(challenge);

    await theirs.auth.signInWithOtp({ email: 'ada@example.com' });
    harness.server.next(Response.json(session(1)));
    await ours.client.exchangeCodeForSession({ code: 'code-2' });
    const verifier = String(harness.server.sent.at(-1)?.body?.['code_verifier']);
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(bodies[1]?.['code_challenge']);
  });
});

describe('servers', () => {
  it('a cookie of a session lives 400 days for the whole host, over https where asked', () => {
    expect(cookiesToSet('k', '{"a":1}', [], { secure: true }).map(serializeCookie)).toEqual([
      'k=base64-eyJhIjoxfQ; Max-Age=34560000; Path=/; SameSite=Lax; Secure',
    ]);
  });

  it('a removal deletes every chunk of the request, at host and domain', () => {
    const sent = parseCookieHeader('k.0=a; k.1=b; k-code-verifier=c; z=1');
    const setCookies = cookiesToSet('k', null, sent, { domain: 'app.test' }).map(serializeCookie);
    expect(setCookies.map((line) => line.replace('; Max-Age=0; Path=/; SameSite=Lax', ''))).toEqual([
      'k.0=',
      'k.1=',
      'k.0=; Domain=app.test',
      'k.1=; Domain=app.test',
    ]);
  });

  it.each([
    ['removed', (store: AuthStore) => store.remove('k'), []],
    ['replaced', (store: AuthStore) => store.set('k', '2'), ['k=base64-Mg']],
  ])(
    'a cookie that was removed is missing, and is not removed again when it is %s',
    async (_, next, sent) => {
      const set: string[] = [];
      const cookies = {
        getAll: () => [{ name: 'k', value: 'base64-MQ' }],
        setAll: (list: readonly CookieToSet[]) =>
          list.forEach(({ name, value }) => set.push(`${name}=${value}`)),
      };
      const store = createServerStore(cookies, createRequestState(), { domain: 'app.test' }, () => {});
      expect(await store.get('k')).toBe('1');
      await store.remove('k');
      expect([await store.get('k'), set.splice(0)]).toEqual([null, ['k=', 'k=']]);
      await next(store);
      expect(set).toEqual(sent);
    },
  );

  it('a session is read from cookies that a framework returns as a promise', async () => {
    const getAll = async () => [{ name: 'k', value: 'base64-MQ' }];
    const store = createServerStore({ getAll }, createRequestState(), {}, () => {});
    expect(await store.get('k')).toBe('1');
  });

  it('every chunk of a session is in a separate header', async () => {
    const headers = new Headers();
    const cookies = createRequestCookies(new Request('https://app.test/'), headers);
    await createServerStore(cookies, createRequestState(), {}, () => {}).set(
      'k',
      JSON.stringify('x'.repeat(5000)),
    );
    expect(headers.getSetCookie().map((line) => line.slice(0, 4))).toEqual(['k.0=', 'k.1=', 'k.2=']);
  });

  it('the headers against caching are set once for a response', async () => {
    const set: Readonly<Record<string, string>>[] = [];
    const cookies = {
      getAll: () => [],
      setAll: (_: unknown, headers: Readonly<Record<string, string>>) => set.push(headers),
    };
    const state = createRequestState();
    for (const text of ['1', '2']) await createServerStore(cookies, state, {}, () => {}).set('k', text);
    expect(set).toEqual([NO_STORE_HEADERS, {}]);
  });

  it('a response that takes no cookies any more is reported, and the session lasts for the request', async () => {
    const begun = new Error('The response has begun');
    const reported: unknown[] = [];
    const fail: readonly (() => unknown)[] = [
      () => Promise.reject(begun),
      () => {
        throw begun;
      },
    ];
    for (const setAll of fail) {
      const store = createServerStore({ getAll: () => [], setAll }, createRequestState(), {}, (problem) =>
        reported.push(problem),
      );
      await store.set('k', '1');
      expect(await store.get('k')).toBe('1');
    }
    expect(reported).toEqual([begun, begun]);
  });

  it('the session forbids caching of a response that was public', async () => {
    const headers = new Headers({ 'cache-control': 'public, max-age=600', expires: 'tomorrow' });
    const cookies = createRequestCookies(new Request('https://app.test/'), headers);
    await createServerStore(cookies, createRequestState(), {}, () => {}).set('k', '1');
    expect([headers.get('cache-control'), headers.get('expires'), headers.get('pragma')]).toEqual([
      'private, no-cache, no-store, must-revalidate, max-age=0',
      '0',
      'no-cache',
    ]);
  });

  it('a header with corrupt chunks has no session', () => {
    expect(readSessionCookies('k.0=base64-AAAA; k.1=x', 'k')).toBeNull();
    expect(readSessionCookies('k=no-session', 'k')).toBeNull();
    expect(readSessionCookies('', 'k')).toBeNull();
  });
});

it('a domain cookie replaces the host-only cookie of the same name', () => {
  const sent = [{ name: 'K', value: 'base64-old' }];
  const text = JSON.stringify(sessionReply('ada', 2));
  const setCookies = cookiesToSet('K', text, sent, { domain: 'example.com' }).map(serializeCookie);
  expect(setCookies.filter((cookie) => cookie.startsWith('K=;'))).toEqual([
    'K=; Max-Age=0; Path=/; SameSite=Lax',
  ]);
  expect(setCookies.at(-1)).toMatch(/^K=base64-.+Domain=example\.com/);
});

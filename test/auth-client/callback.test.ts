import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Callback, cleanCallbackUrl, parseCallback } from '../../src/auth-client/callback/callback.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createHarness } from './support/harness.ts';
import { refusal, sessionReply, userOf } from '../support/wire/replies.ts';

const CODE = '3f1c9a52-8a0e-4c8e-9d1b-0a4a3c1f2b7d';
const PATHS = ['/home', '/reset-password'];

/** A browser that asked for a link and then opens `href` in a new page. */
async function opening(
  href: string,
  ask: 'otp' | 'recovery' | 'none' = 'otp',
  paths: readonly string[] | undefined = PATHS,
) {
  const harness = createHarness();
  if (ask !== 'none') {
    const { client } = harness.open();
    await client.start();
    harness.server.next(Response.json({}));
    await (ask === 'otp'
      ? client.signInWithOtp({ email: 'ada@example.com' })
      : client.resetPasswordForEmail({ email: 'ada@example.com' }));
    client.close();
  }
  const asked = harness.server.sent.length;
  return { ...harness, ...harness.open({ href, callbackPaths: paths }), asked };
}

describe('PKCE callback', () => {
  it('sends auth_code and code_verifier to POST /token (pkce) and cleans the URL', async () => {
    const { client, server, world, events, href, stored } = await opening(
      `http://app.test/home?tab=unread&code=${CODE}#top`,
    );
    server.next(Response.json(sessionReply('ada', 1)));
    await client.start();
    await world.settle();
    expect(server.lines.at(-1)).toBe('POST /token?grant_type=pkce');
    expect(server.sent.at(-1)?.body).toEqual({
      auth_code: CODE,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(href()).toBe('http://app.test/home?tab=unread#top');
    expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
    expect((await stored())?.['refresh_token']).toBe('refresh-ada-1');
  });

  it('never shows a signed-out snapshot in between', async () => {
    const { client, server } = await opening(`http://app.test/home?code=${CODE}`);
    const seen: string[] = [];
    client.subscribe(() => seen.push(client.getSnapshot().status));
    server.next(Response.json(sessionReply('ada', 1)));
    await client.start();
    expect(seen.filter((status) => status !== 'loading')).toEqual(['signed-in']);
  });

  it('a PKCE callback of a recovery emits PASSWORD_RECOVERY once instead of SIGNED_IN', async () => {
    const { client, server, world, events } = await opening(
      `http://app.test/reset-password?code=${CODE}`,
      'recovery',
    );
    server.next(Response.json(sessionReply('ada', 1)));
    await client.start();
    await world.settle();
    expect(events).toEqual(['INITIAL_SESSION', 'PASSWORD_RECOVERY']);
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', recovery: true });
  });

  it.each(['/recovery', '/PASSWORD_RECOVERY'])(
    'reads a verifier that another program marked %s',
    async (mark) => {
      const { client, server, store } = await opening(`http://app.test/reset-password?code=${CODE}`, 'none');
      await store.set('sb-project-auth-token-code-verifier', JSON.stringify(`${'a'.repeat(112)}${mark}`));
      server.next(Response.json(sessionReply('ada', 1)));
      await client.start();
      expect(server.sent[0]?.body?.['code_verifier']).toBe('a'.repeat(112));
      expect(client.getSnapshot().recovery).toBe(true);
      expect(await store.get('sb-project-auth-token-code-verifier')).toBeNull();
    },
  );

  it('a PKCE callback with two pending flows exchanges with the matching one and removes only that', async () => {
    const { open, server } = createHarness();
    const first = open();
    await first.client.start();
    server.on('POST /otp', () => Response.json({}));
    await first.client.signInWithOtp({ email: 'ada@example.com' });
    await first.client.signInWithOtp({ email: 'bob@example.com' });
    server.next(refusal(400, 'bad_code_verifier'), Response.json(sessionReply('ada', 1)));
    await first.client.exchangeCodeForSession({ code: CODE });
    const [tried, fitted] = server.sent.slice(2).map(({ body }) => body?.['code_verifier']);
    expect(tried).not.toBe(fitted);
    server.next(Response.json(sessionReply('bob', 1)));
    await first.client.exchangeCodeForSession({ code: CODE });
    expect(server.sent.at(-1)?.body?.['code_verifier']).toBe(tried);
    await expect(first.client.exchangeCodeForSession({ code: CODE })).rejects.toMatchObject({
      code: 'pkce-verifier-missing',
    });
  });

  it('a code whose flow is named is exchanged with the verifier of that flow', async () => {
    const { open, server, world } = createHarness();
    const { client } = open();
    await client.start();
    const flows = [
      await client.signInWithOAuth({ provider: 'github' }),
      await client.signInWithOAuth({ provider: 'gitlab' }),
    ];
    const [first, second] = flows.map(({ flowId }) => flowId);
    expect(first).not.toBe(second);
    server.next(Response.json(sessionReply('ada', 1)));
    await client.exchangeCodeForSession({ code: CODE, flowId: first });
    await expect(client.exchangeCodeForSession({ code: CODE, flowId: first })).rejects.toMatchObject({
      code: 'pkce-verifier-missing',
    });
    expect(server.lines).toHaveLength(1);
    // The URL names the other flow, as the vendor's clients have it.
    const page = open({ href: `http://app.test/home?code=${CODE}&sb_flow_id=${second}&tab=all` });
    server.next(Response.json(sessionReply('bob', 1)));
    await page.client.start();
    await world.settle();
    expect(page.href()).toBe('http://app.test/home?tab=all');
    const verifiers = server.sent.map(({ body }) => body?.['code_verifier']);
    expect(new Set(verifiers).size).toBe(2);
  });

  it('a sixth flow evicts the first, and its verifier leaves the storage', async () => {
    const keys = new Set<string>();
    const memory = createMemoryStore();
    const { open, server } = createHarness({
      get: (key) => memory.get(key),
      set: (key, value) => (keys.add(key), memory.set(key, value)),
      remove: (key) => (keys.delete(key), memory.remove(key)),
    });
    const { client } = open();
    server.on('POST /otp', () => Response.json({}));
    for (let flow = 0; flow < 6; flow += 1) await client.signInWithOtp({ email: 'ada@example.com' });
    server.on('POST /token', () => refusal(400, 'bad_code_verifier'));
    await expect(client.exchangeCodeForSession({ code: CODE })).rejects.toMatchObject({
      code: 'bad_code_verifier',
    });
    expect(server.lines.filter((line) => line.startsWith('POST /token'))).toHaveLength(5);
    expect([...keys].filter((key) => key.includes('-flow-'))).toHaveLength(5);
  });

  it.each([
    ['a network failure', () => Promise.reject<Response>(new TypeError('Failed to fetch')), 'network'],
    ['a 502', () => refusal(502, 'unexpected_failure'), 'unexpected_failure'],
  ])('%s during the exchange keeps the verifier', async (_name, response, code) => {
    const { client, server } = await opening(`http://app.test/home?code=${CODE}`);
    server.next(response);
    await client.start();
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-out', callbackError: { code } });
    server.next(Response.json(sessionReply('ada', 1)));
    expect((await client.exchangeCodeForSession({ code: CODE })).user.id).toBe('ada');
  });

  it('a PKCE callback without a verifier fails with a typed error; the mailed code still works', async () => {
    const { client, server, href } = await opening(`http://app.test/home?code=${CODE}`, 'none');
    await client.start();
    expect(client.getSnapshot()).toMatchObject({
      status: 'signed-out',
      callbackError: { code: 'pkce-verifier-missing' },
    });
    expect(href()).toBe('http://app.test/home');
    expect(server.lines).toEqual([]);
  });

  it.each(['signing in', 'signing out'])('%s clears the error of an earlier callback', async (way) => {
    const { client, server } = await opening(`http://app.test/home?code=${CODE}`, 'none');
    await client.start();
    expect(client.getSnapshot().callbackError).not.toBeNull();
    if (way === 'signing in') {
      server.next(Response.json(sessionReply('ada', 1)));
      await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    } else await client.signOut({ scope: 'local' });
    const status = way === 'signing in' ? 'signed-in' : 'signed-out';
    expect(client.getSnapshot()).toMatchObject({ status, callbackError: null });
  });

  it('a failed callback keeps the stored session', async () => {
    const harness = createHarness();
    (await harness.signedIn()).client.close();
    const { client } = harness.open({ href: `http://app.test/home?code=${CODE}`, callbackPaths: PATHS });
    await client.start();
    expect(client.getSnapshot()).toMatchObject({
      status: 'signed-in',
      callbackError: { code: 'pkce-verifier-missing' },
    });
  });
});

describe('implicit links', () => {
  const hash = (more = '') =>
    `#access_token=${sessionReply('ada', 1).access_token}&expires_in=3600&refresh_token=r1&token_type=bearer${more}`;

  const openImplicit = (href: string) => {
    const harness = createHarness();
    return { ...harness, ...harness.open({ href, callbackPaths: PATHS, acceptImplicitFlow: true }) };
  };

  it.each([undefined, PATHS])(
    'are refused by default, because any link could sign a person in to another account (paths: %j)',
    async (paths) => {
      const href = `http://app.test/home?tab=all${hash('&sb=&type=magiclink')}`;
      const harness = createHarness();
      (await harness.signedIn()).client.close();
      const opened = harness.open({ href, callbackPaths: paths });
      const before = harness.server.lines.length;
      await opened.client.start();
      expect(opened.client.getSnapshot()).toMatchObject({
        status: 'signed-in',
        user: { id: 'ada' },
        callbackError: { code: 'implicit-flow-disabled' },
      });
      expect(harness.server.lines).toHaveLength(before);
      expect(opened.href()).toBe('http://app.test/home?tab=all');
    },
  );

  it('sign in after GET /user; the URL is cleaned', async () => {
    const { client, server, href } = openImplicit(
      `http://app.test/home?tab=all${hash('&sb=&type=magiclink')}`,
    );
    server.next(Response.json(userOf('ada')));
    await client.start();
    expect(server.lines).toEqual(['GET /user']);
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', user: { id: 'ada' }, recovery: false });
    expect(href()).toBe('http://app.test/home?tab=all');
  });

  it('implicit links of a recovery emit PASSWORD_RECOVERY', async () => {
    const { client, server } = openImplicit(`http://app.test/reset-password${hash('&sb=&type=recovery')}`);
    server.next(Response.json(userOf('ada')));
    await client.start();
    expect(client.getSnapshot().recovery).toBe(true);
  });

  it('implicit links with refused tokens are an error', async () => {
    const { client, server } = openImplicit(`http://app.test/home${hash('&sb=')}`);
    server.next(refusal(403, 'user_not_found'));
    await client.start();
    expect(client.getSnapshot()).toMatchObject({
      status: 'signed-out',
      callbackError: { code: 'user_not_found' },
    });
  });
});

describe('errors and messages in the URL', () => {
  const text =
    'error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired';
  it.each([
    ['query', `?${text}`],
    ['hash', `#${text}&sb=`],
    ['both', `?${text}#${text}&sb=`],
    ['query without error', '?error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired'],
  ])('an error in %s is reported', async (_name, suffix) => {
    const { client, server, href } = await opening(`http://app.test/home${suffix}`, 'none');
    await client.start();
    expect(client.getSnapshot().callbackError).toMatchObject({
      code: 'otp_expired',
      message: 'Email link is invalid or has expired',
    });
    expect(href()).toBe('http://app.test/home');
    expect(server.lines).toEqual([]);
  });

  it('the first half of an email change is a message', async () => {
    const { client, href } = await opening(
      'http://app.test/home#message=Confirm+the+other+address&sb=',
      'none',
    );
    await client.start();
    expect(client.getSnapshot().callbackMessage).toBe('Confirm the other address');
    expect(href()).toBe('http://app.test/home');
  });
});

describe('parameters of other origins', () => {
  const foreign: readonly (readonly [string, string, readonly string[] | undefined])[] = [
    ['a code at another path', 'http://app.test/oauth/github?code=abc', PATHS],
    ['a code without a pending flow, where no paths are named', 'http://app.test/any?code=abc', undefined],
    ['tokens without the server’s mark', 'http://app.test/any#access_token=a&refresh_token=b', undefined],
    ['tokens at another path', 'http://app.test/else#access_token=a&refresh_token=b&sb=', PATHS],
    ['an error without the mark', 'http://app.test/any?error=access_denied', undefined],
    ['a message without the mark', 'http://app.test/home?message=hello', PATHS],
    ['a plain page', 'http://app.test/home?tab=unread#top', PATHS],
  ];
  it.each(foreign)('%s is left unchanged', async (_name, url, paths) => {
    const { client, server, href } = await opening(url, 'none', paths);
    await client.start();
    expect(href()).toBe(url);
    expect(server.lines).toEqual([]);
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-out', callbackError: null });
  });

  it('a code at any path is exchanged while a flow is pending', () => {
    const scope = { isFlowPending: true };
    const code = 'c0de0000-aaaa-4bbb-8ccc-000000000001';
    expect(parseCallback(`http://app.test/any?code=${code}`, scope)).toEqual({
      type: 'code',
      code,
    } satisfies Callback);
    // The server's codes are UUIDs: these are of other services.
    for (const foreign of ['ac_FOREIGN', '4/0AY0e-g7', 'abc'])
      expect(parseCallback(`http://app.test/any?code=${foreign}&state=x`, scope)).toEqual({ type: 'none' });
  });

  it('cleaning removes only the parameters of the server', () => {
    expect(cleanCallbackUrl('http://app.test/a?x=1&code=c&y=&type=mention#message=m&sb=')).toBe(
      'http://app.test/a?x=1&y=&type=mention',
    );
    expect(cleanCallbackUrl('http://app.test/a?message=mine&code=c')).toBe('http://app.test/a?message=mine');
    expect(cleanCallbackUrl('http://app.test/a?code=c#top')).toBe('http://app.test/a#top');
    expect(cleanCallbackUrl('http://app.test/a#access_token=t')).toBe('http://app.test/a');
    // The other parts of the URL stay unchanged.
    expect(cleanCallbackUrl('http://app.test/a?code=1&q=a%20b&flag&x=~%2Fy')).toBe(
      'http://app.test/a?q=a%20b&flag&x=~%2Fy',
    );
  });
});

describe('social providers', () => {
  it('the URL has the provider, the redirect and an S256 challenge of 43 characters', async () => {
    const { open } = createHarness();
    const { client } = open();
    const { url } = await client.signInWithOAuth({
      provider: 'github',
      redirectTo: 'http://app.test/home',
      scopes: 'repo gist',
      parameters: { prompt: 'consent' },
    });
    expect(url.replace(/code_challenge=[\w-]{43}&/, 'code_challenge=*&')).toBe(
      'http://project.test/auth/v1/authorize?prompt=consent&provider=github&redirect_to=http%3A%2F%2Fapp.test%2Fhome' +
        '&scopes=repo+gist&code_challenge=*&code_challenge_method=s256',
    );
  });
});

it('two flows that begin at once both keep their verifier', async () => {
  const { open, server } = createHarness();
  const { client } = open();
  await client.start();
  const [google, github] = await Promise.all([
    client.signInWithOAuth({ provider: 'google' }),
    client.signInWithOAuth({ provider: 'github' }),
  ]);
  for (const { url } of [google, github]) {
    const challenge = new URL(url).searchParams.get('code_challenge');
    server.on('POST /token', ({ body }) => {
      const given = createHash('sha256').update(String(body?.['code_verifier'])).digest('base64url');
      return given === challenge ? Response.json(sessionReply('ada', 1)) : refusal(400, 'bad_code_verifier');
    });
    expect((await client.exchangeCodeForSession({ code: 'any' })).user.id).toBe('ada');
  }
  client.close();
});

it('leaves the code of another service unchanged, also after an abandoned flow', async () => {
  const { open, server } = createHarness();
  const { client } = open();
  await client.start();
  server.next(Response.json({}));
  await client.signInWithOtp({ email: 'ada@example.com' });
  client.close();
  const href = 'http://app.test/integrations/stripe?code=ac_FOREIGN&state=xyz';
  const later = open({ href });
  await later.client.start();
  expect(later.href()).toBe(href);
  expect(later.client.getSnapshot().callbackError).toBeNull();
  expect(server.lines).toEqual(['POST /otp']);
  later.client.close();
});

import { describe, expect, it, vi } from 'vitest';
import {
  type AuthClient,
  AuthError,
  type AuthErrorCode,
  createMemoryStore,
} from '../../src/auth-client/index.ts';
import { refreshActionFor } from '../../src/auth-client/refresh/refresh-outcome.ts';
import { createHarness } from './support/harness.ts';
import { deferred, page, refusal, sessionReply } from '../support/wire/replies.ts';

const REFRESH = 'POST /token?grant_type=refresh_token';
const renewed = (serial: number, more: object = {}) => Response.json(sessionReply('ada', serial, more));
const MINUTE = 60_000;

describe('the refresh of a session with under about 90 seconds left', () => {
  it('sends nothing for a fresh session', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    await world.clock.advance(30 * MINUTE);
    await client.getAccessToken();
    expect(server.lines).toEqual(['POST /token?grant_type=password']);
  });

  it('returns the valid token at once under 90 seconds and refreshes in the background', async () => {
    const { server, signedIn, world } = createHarness();
    const { client, tab } = await signedIn();
    tab.setOnline(false);
    await world.clock.advance(3600_000 - 91_000);
    const before = await client.getAccessToken();
    expect(server.lines).toHaveLength(1);
    await world.clock.advance(2_000);
    const reply = deferred<Response>();
    server.next(() => reply.promise);
    expect(await client.getAccessToken()).toBe(before);
    await world.settle();
    expect(server.lines[1]).toBe(REFRESH);
    reply.resolve(renewed(2));
    await world.settle();
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
  });
});

describe('the background check, every 30 seconds, which refreshes at 3 ticks or fewer', () => {
  it('does not refresh at 4 ticks, but one check later', async () => {
    const { server, signedIn, world } = createHarness();
    await signedIn();
    server.on('POST /token', () => renewed(2));
    await world.clock.advance(3600_000 - 120_000);
    expect(server.lines).toHaveLength(1);
    await world.clock.advance(30_000);
    expect(server.lines).toEqual(['POST /token?grant_type=password', REFRESH]);
  });

  it('checks a short-lived token in proportion to its lifetime, once per lifetime', async () => {
    const { server, open, world } = createHarness();
    const { client } = open();
    await client.start();
    let serial = 0;
    server.on('POST /token', () => renewed((serial += 1), { expires_in: 8 }));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    for (let second = 0; second < 60; second += 1) {
      await world.clock.advance(1_000);
      await client.getAccessToken();
    }
    // A token of 8 s is renewed after 5 s.
    expect(serial - 1).toBe(12);
  });

  it('leaves the check to visible tabs until the last tick', async () => {
    const { server, signedIn, world } = createHarness();
    const { tab } = await signedIn();
    server.on('POST /token', () => renewed(2));
    tab.setVisible(false);
    await world.clock.advance(3600_000 - 60_000);
    expect(server.lines).toHaveLength(1);
    await world.clock.advance(30_000);
    expect(server.lines).toHaveLength(2);
  });

  it('sends nothing while offline and refreshes when the network returns', async () => {
    const { server, signedIn, world } = createHarness();
    const { tab } = await signedIn();
    server.on('POST /token', () => renewed(2));
    tab.setOnline(false);
    await world.clock.advance(3600_000 - 5_000);
    expect(server.lines).toHaveLength(1);
    tab.setOnline(true);
    await world.settle();
    expect(server.lines).toHaveLength(2);
  });
});

describe('the retries of a refresh, which back off exponentially from 200 ms and stop after about 30 s', () => {
  it('waits 200 ms, then 400 ms, and refreshes after 503, 503, 200', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(page(503), page(503), renewed(2));
    const waits = await attemptsOf(() => client.getAccessToken());
    expect(waits.map((ms) => Math.floor(ms / 50) * 50)).toEqual([200, 400]);

    /** Waits between the requests of a call, in milliseconds, to the nearest 10. */
    async function attemptsOf(call: () => Promise<unknown>) {
      const moments: number[] = [];
      let count = server.lines.length;
      const done = call();
      for (let at = 0; at < 2_000; at += 10) {
        await world.settle();
        if (server.lines.length > count) moments.push(at);
        count = server.lines.length;
        await world.clock.advance(10);
      }
      await done;
      return moments.slice(1).map((at, index) => at - (moments[index] ?? 0));
    }
  });

  it('adds up to a quarter to a wait, so that tabs do not return at the same moment', async () => {
    const { server, open, signedIn, world } = createHarness();
    (await signedIn()).client.close();
    world.clock.sleep(2 * 3600_000);
    const tab = world.openTab({ fetch: server.fetch });
    const { client } = open({ platform: { ...tab, random: { ...tab.random, number: () => 0.99 } } });
    server.next(page(503), renewed(2));
    const started = client.start().then(() => client.getAccessToken());
    await world.clock.advance(240);
    expect(server.lines.filter((line) => line === REFRESH)).toHaveLength(1);
    await world.clock.advance(20);
    expect(server.lines.filter((line) => line === REFRESH)).toHaveLength(2);
    expect(await started).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it('retries after a status of 500 as after any failure of the server', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(page(500), renewed(2));
    const token = client.getAccessToken();
    await world.clock.advance(300);
    expect(await token).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it('stops after 8 requests within 30 s, and starts over at the next check', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.on('POST /token', () => page(503));
    const outcome = client.getAccessToken().catch((problem: unknown) => problem);
    await world.clock.advance(29_000);
    // The check at 30 s found the token expired too, and joined the flight.
    expect(server.lines.filter((line) => line === REFRESH).length).toBeLessThanOrEqual(8);
    await world.clock.advance(4_000);
    expect(await outcome).toMatchObject({ code: 'not-the-service', status: 503 });
    const attempts = server.lines.length;
    await world.clock.advance(30_000);
    expect(server.lines.length).toBeGreaterThan(attempts);
  });
});

describe('concurrent refreshes', () => {
  it('an expired token leads to one refresh for 50 callers', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(renewed(2));
    const tokens = await Promise.all(Array.from({ length: 50 }, () => client.getAccessToken()));
    expect(new Set(tokens)).toEqual(new Set([sessionReply('ada', 2).access_token]));
    expect(server.lines.filter((line) => line === REFRESH)).toHaveLength(1);
  });

  it('waits for the refresh of a token at the very moment of its expiry', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(3600_000);
    server.next(renewed(2));
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
  });

  it('refreshes a token that a server refused, if it is still current', async () => {
    const { server, signedIn } = createHarness();
    const { client } = await signedIn();
    const rejectedToken = (await client.getAccessToken()) ?? '';
    server.next(renewed(2));
    const next = sessionReply('ada', 2).access_token;
    expect(await client.getAccessToken({ rejectedToken })).toBe(next);
    expect(await client.getAccessToken({ rejectedToken })).toBe(next);
    expect(server.lines).toHaveLength(2);
  });

  it('a session that is set during the refresh of another one stays, and no caller gets the refreshed one', async () => {
    const { server, signedIn, world, stored } = createHarness();
    const { client, events } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    const reply = deferred<Response>();
    server.next(() => reply.promise, Response.json(sessionReply('bob', 1)));
    const waiting = client.getAccessToken();
    waiting.catch(() => undefined);
    await world.settle();
    await client.signInWithPassword({ email: 'bob@example.com', password: 'battery staple' });
    reply.resolve(renewed(2));
    const bob = sessionReply('bob', 1);
    // A call that ada began must not be sent as bob.
    await expect(waiting).rejects.toMatchObject({ code: 'user-changed' });
    expect(await client.getAccessToken()).toBe(bob.access_token);
    expect(client.getSnapshot().user?.id).toBe('bob');
    expect((await stored())?.['refresh_token']).toBe(bob.refresh_token);
    expect(events).toEqual(['SIGNED_IN']);
  });

  it('an aborted caller stops waiting while the refresh continues', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    const reply = deferred<Response>();
    server.next(() => reply.promise);
    const caller = new AbortController();
    const waiting = client.getAccessToken({ signal: caller.signal });
    await world.settle();
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    reply.resolve(renewed(2));
    await world.settle();
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
  });
});

describe('outcomes', () => {
  const lasting: readonly (readonly [string, () => Response | Promise<Response>])[] = [
    ['429', () => refusal(429, 'over_request_rate_limit')],
    ['409', () => refusal(409, 'conflict')],
    ['500', () => refusal(500, 'unexpected_failure')],
    ['502 with a page', () => page(502)],
    ['403 with a page', () => page(403)],
    ['200 with a page', () => page(200)],
    ['408', () => refusal(408, 'request_timeout')],
    ['504', () => refusal(504, 'request_timeout')],
    ['401 for a wrong API key', () => Response.json({ message: 'Invalid API key' }, { status: 401 })],
    ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['no response', () => new Promise<Response>(() => {})],
  ];
  it.each(lasting)(
    'keeps an expired session after %s, and the caller gets the error',
    async (_name, respond) => {
      const { server, signedIn, world, stored } = createHarness();
      const { client, events } = await signedIn();
      world.clock.sleep(2 * 3600_000);
      server.on('POST /token', respond);
      const outcome = client.getAccessToken().catch((problem: unknown) => problem);
      await world.clock.advance(120_000);
      expect(await outcome).toBeInstanceOf(AuthError);
      expect(client.getSnapshot().status).toBe('signed-in');
      expect((await stored())?.['refresh_token']).toBe('refresh-ada-1');
      expect(events).toEqual([]);
    },
  );

  const definitive = [
    'refresh_token_not_found',
    'refresh_token_already_used',
    'session_expired',
    'session_not_found',
    'user_banned',
    'validation_failed',
  ];
  it.each(definitive)('removes an expired session after %s with one SIGNED_OUT', async (code) => {
    const { server, signedIn, world, stored } = createHarness();
    const { client, reasons } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(refusal(400, code));
    expect(await client.getAccessToken()).toBeNull();
    await world.settle();
    expect(client.getSnapshot().status).toBe('signed-out');
    expect(await stored()).toBeNull();
    expect(reasons).toEqual(['SIGNED_OUT/refused']);
    expect(server.lines.filter((line) => line === REFRESH)).toHaveLength(1);
  });

  it('removes an expired session after a 400 in the older OAuth format', async () => {
    const { server, signedIn, world, stored } = createHarness();
    const { client, reasons } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    const body = { error: 'invalid_grant', error_description: 'Invalid Refresh Token' };
    server.next(Response.json(body, { status: 400 }));
    expect(await client.getAccessToken()).toBeNull();
    await world.settle();
    expect(await stored()).toBeNull();
    expect(reasons).toEqual(['SIGNED_OUT/refused']);
  });

  it('keeps a session within the margin after a 400 until its access token expires', async () => {
    const { server, signedIn, world } = createHarness();
    const { client, events } = await signedIn();
    server.on('POST /token', () => refusal(400, 'refresh_token_not_found'));
    await world.clock.advance(3600_000 - 90_000);
    await client.getAccessToken();
    await world.clock.advance(80_000);
    expect(client.getSnapshot().status).toBe('signed-in');
    expect(server.lines.filter((line) => line === REFRESH)).toHaveLength(1);
    await world.clock.advance(41_000);
    expect(client.getSnapshot().status).toBe('signed-out');
    expect(events).toEqual(['SIGNED_OUT']);
  });

  it('adopts the stored session of another program after refresh_token_already_used', async () => {
    const { server, signedIn, world, store, stored } = createHarness();
    const { client, reasons } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(async () => {
      const record = { ...(await stored()), ...sessionReply('ada', 2), received_at: world.clock.now() };
      await store.set('sb-project-auth-token', JSON.stringify(record));
      return refusal(400, 'refresh_token_already_used');
    });
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    await world.settle();
    expect(reasons).toEqual(['TOKEN_REFRESHED/storage']);
  });

  it('leaves the session of another sign-in, stored while a refusal ends this one', async () => {
    const inner = createMemoryStore();
    let next: string | null = null;
    const { server, signedIn, world, stored } = createHarness({
      ...inner,
      get(key) {
        const text = inner.get(key);
        if (next !== null) inner.set(key, next);
        next = null;
        return text;
      },
    });
    const { client, reasons } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(() => {
      next = JSON.stringify({ ...sessionReply('bob', 1), received_at: world.clock.now() });
      return refusal(400, 'refresh_token_not_found');
    });
    await expect(client.getAccessToken()).rejects.toMatchObject({ code: 'user-changed' });
    expect(await stored()).toMatchObject({ refresh_token: 'refresh-bob-1' });
    expect(reasons).toEqual(['SIGNED_IN/storage']);
  });

  it('ends the session where the other program stored one that has expired, too', async () => {
    const { server, signedIn, world, store } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.on('POST /token', async () => {
      await store.set('sb-project-auth-token', JSON.stringify(sessionReply('ada', 9)));
      return refusal(400, 'refresh_token_already_used');
    });
    await expect(client.getAccessToken()).rejects.toMatchObject({ code: 'refresh_token_already_used' });
  });

  it('renews the session of another program that has expired, too', async () => {
    const { server, signedIn, world, store } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    await store.set('sb-project-auth-token', JSON.stringify(sessionReply('ada', 9)));
    server.next(async () => Response.json(sessionReply('ada', 10)));
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 10).access_token);
    expect(server.lines.filter((line) => line === REFRESH)).toHaveLength(1);
  });

  it('a 429 without Retry-After delays every caller for 30 s, unless another tab has renewed the session', async () => {
    const { server, signedIn, world, store, stored } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(refusal(429, 'over_request_rate_limit'));
    const before = server.lines.length;
    await expect(client.getAccessToken()).rejects.toMatchObject({ status: 429 });
    await world.clock.advance(29_000);
    await expect(client.getAccessToken()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
    expect(server.lines.length - before).toBe(1);
    const record = { ...(await stored()), ...sessionReply('ada', 2), received_at: world.clock.now() };
    await store.set('sb-project-auth-token', JSON.stringify(record));
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    expect(server.lines.length - before).toBe(1);
  });

  it('refreshSession throws the cause of its failure', async () => {
    const { server, signedIn } = createHarness();
    const { client } = await signedIn();
    server.next(refusal(429, 'over_request_rate_limit'));
    await expect(client.refreshSession()).rejects.toMatchObject({
      code: 'over_request_rate_limit',
      status: 429,
    });
  });
});

describe('without automatic refresh', () => {
  const nearExpiry = 3600_000 - 60_000;

  it('a call gets the valid token without a request, and a new one when it is due', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn({ autoRefresh: false });
    await world.clock.advance(30 * MINUTE);
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 1).access_token);
    expect(server.lines).toHaveLength(1);
    await world.clock.advance(nearExpiry - 30 * MINUTE);
    expect(server.lines).toHaveLength(1);
    server.next(renewed(2));
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
  });

  it('a call gets the token that is still valid where the refresh fails', async () => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn({ autoRefresh: false });
    await world.clock.advance(nearExpiry);
    server.next(refusal(503, 'unexpected_failure'));
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 1).access_token);
    await expect(client.refreshSession()).rejects.toBeInstanceOf(AuthError);
  });
});

describe('a page that is left or offline', () => {
  it.each(['hidden', 'pagehide', 'offline'] as const)('reads no storage at the signal %s', async (name) => {
    const { signedIn, store, world } = createHarness();
    const { tab } = await signedIn();
    const reads = vi.spyOn(store, 'get');
    tab.signal(name);
    await world.settle();
    expect(reads).not.toHaveBeenCalled();
    tab.signal('visible');
    await world.settle();
    expect(reads).toHaveBeenCalled();
  });
});

describe('closing', () => {
  it('ends the checks and the reading of storage', async () => {
    const { signedIn, store, world } = createHarness();
    const before = world.clock.pendingTimers;
    const { client, tab } = await signedIn();
    expect(world.clock.pendingTimers).toBeGreaterThan(before);
    client.close();
    await world.settle();
    expect(world.clock.pendingTimers).toBe(before);
    const reads = vi.spyOn(store, 'get');
    tab.signal('visible');
    await world.settle();
    expect(reads).not.toHaveBeenCalled();
  });

  it('during the start leaves no timer and no channel behind', async () => {
    const { signedIn, open, world } = createHarness();
    (await signedIn()).client.close();
    const before = world.clock.pendingTimers;
    const { client } = open();
    const starting = client.start();
    client.close();
    await starting;
    await world.settle();
    expect(world.clock.pendingTimers).toBe(before);
  });

  it('during the backoff ends the attempts', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    server.on('POST /token', () => refusal(503, 'unexpected_failure'));
    client.refreshSession().catch(() => undefined);
    await world.settle();
    client.close();
    const before = server.lines.length;
    await world.clock.advance(60_000);
    expect(server.lines.length - before).toBe(0);
  });
});

describe('a call that ends before its token arrives', () => {
  it.each([
    ['aborted', (client: AuthClient, signal: AbortSignal) => client.getUser({ signal })],
    ['timeout', (client: AuthClient) => client.getUser({ timeoutMs: 1000 })],
    ['timeout', (client: AuthClient) => client.getSession({ timeoutMs: 1000 })],
  ] as const)('ends at once: %s', async (code, call) => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.on('POST /token', () => new Promise<Response>(() => {}));
    const abort = new AbortController();
    const ended = call(client, abort.signal);
    ended.catch(() => undefined);
    await world.settle();
    abort.abort();
    if (code === 'timeout') await world.clock.advance(1000);
    await expect(ended).rejects.toMatchObject({ name: 'AuthError', code });
    client.close();
  });
});

describe('the action after a failed refresh', () => {
  const error = (code: AuthErrorCode, status: number | null, serverCode: string | null = null) =>
    new AuthError(code, 'x', { status, serverCode });

  it.each([
    ['retry', error('timeout', null)],
    ['retry', error('network', null)],
    ['keep', error('not-the-service', null)],
    ['keep', new TypeError('x')],
    ['retry', error('request_timeout', 408)],
    ['retry', error('conflict', 409)],
    ['keep', error('over_request_rate_limit', 429)],
    ['retry', error('unexpected_failure', 500)],
    ['retry', error('unexpected_failure', 599)],
    ['drop', error('session_expired', 499, 'session_expired')],
    ['drop', error('unknown', 400, 'invalid_grant')],
    ['keep', error('unknown', 400, 'conflict')],
    ['keep', error('unknown', 400, 'toString')],
    ['keep', error('session_expired', 429, 'session_expired')],
    ['keep', error('unknown', 400)],
  ] as const)('is %s', (action, problem) => {
    expect(refreshActionFor(problem)).toBe(action);
  });
});

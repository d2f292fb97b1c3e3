import { describe, expect, it, test } from 'vitest';
import type { Platform } from '../../src/platform/platform.ts';
import { type Harness, createHarness } from './support/harness.ts';
import { sessionReply, tokenOf, userOf } from '../support/wire/replies.ts';
import { serverTimeFrom, toActiveSession } from '../../src/auth-client/session/session.ts';
import { type SentRequest } from '../support/wire/scripted-wire.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A server whose tokens expire after an hour of its clock, the one that the test moves. */
function serve({ server, world }: Harness, claims: (nowSeconds: number) => object) {
  let serial = 0;
  const respond = (_request: SentRequest) => {
    serial += 1;
    const now = Math.floor(world.clock.now() / 1000);
    return Response.json(
      sessionReply('ada', serial, {
        access_token: tokenOf('ada', serial, claims(now)),
        expires_at: now + 3600,
      }),
    );
  };
  server.on('POST /token', respond);
}

const dated = (now: number) => ({ iat: now, exp: now + 3600 });
const undated = () => ({});

function openWithClock({ open, world, server }: Harness, offsetMs: number) {
  const tab = world.openTab({ fetch: server.fetch });
  const clock: Platform['clock'] = { ...tab.clock, now: () => tab.clock.now() + offsetMs };
  return { tab, client: open({ platform: { ...tab, clock } }).client };
}

async function openPair(harness: Harness, offsetMs: number) {
  const { client: first } = openWithClock(harness, 0);
  await first.start();
  await first.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
  const { client: second } = openWithClock(harness, offsetMs);
  await second.start();
  await harness.world.clock.advance(1_000);
  const refreshes = () => harness.server.lines.filter((line) => line.includes('refresh_token')).length;
  return { first, second, refreshes };
}

const renewed = (serial: number) => Response.json(sessionReply('ada', serial));

describe('a single tab', () => {
  it('a clock that is an hour fast causes no extra refresh', async () => {
    const { server, open, world } = createHarness();
    world.clock.jump(HOUR);
    const { client } = open();
    await client.start();
    server.next(renewed(1));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    for (let read = 0; read < 20; read += 1) {
      await world.clock.advance(MINUTE);
      await client.getAccessToken();
    }
    expect(server.lines).toHaveLength(1);
  });

  it('a clock that is an hour slow refreshes before the expiry', async () => {
    const { server, open, world } = createHarness();
    world.clock.jump(-HOUR);
    const { client } = open();
    await client.start();
    server.next(renewed(1));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    server.on('POST /token', () => renewed(2));
    await world.clock.advance(HOUR - 60_000);
    expect(server.lines).toHaveLength(2);
  });

  it.each([
    ['forward', 3 * HOUR],
    ['back', -3 * HOUR],
  ])('a jump %s costs one refresh at most', async (_name, jumpMs) => {
    const { server, signedIn, world } = createHarness();
    const { client } = await signedIn();
    let serial = 1;
    server.on('POST /token', () => renewed((serial += 1)));
    world.clock.jump(jumpMs);
    for (let read = 0; read < 20; read += 1) {
      await world.clock.advance(MINUTE);
      await client.getAccessToken();
    }
    expect(serial).toBeLessThanOrEqual(2);
  });

  it('a restart restores the lifetime despite a wrong clock', async () => {
    const harness = createHarness();
    harness.world.clock.jump(5 * HOUR);
    const first = await harness.signedIn();
    first.client.close();
    await harness.world.clock.advance(10 * MINUTE);
    const { client } = harness.open();
    await client.start();
    await client.getAccessToken();
    expect(harness.server.lines).toHaveLength(1);
  });

  it('a restart without a connection shows when the token of the restored session expired', async () => {
    const { server, signedIn, open, world } = createHarness();
    const { client: first } = await signedIn();
    const expiresAtMs = first.getSnapshot().session?.expiresAtMs;
    first.close();
    server.otherwise(new TypeError('offline'));
    await world.clock.advance(3 * HOUR);
    const { client } = open();
    await client.start();
    expect(client.getSnapshot().session?.expiresAtMs).toBe(expiresAtMs);
    client.close();
  });

  it.each([
    [9_000, 1],
    [11_000, 2],
  ])(
    'a restart with a clock that is %i ms behind the record sends %i requests: an unknown age counts as expired',
    async (setBackMs, requests) => {
      const { server, signedIn, open, world } = createHarness();
      (await signedIn()).client.close();
      world.clock.jump(-setBackMs);
      server.on('POST /token', () => renewed(2));
      const { client } = open();
      await client.start();
      await client.getAccessToken();
      expect(server.lines).toHaveLength(requests);
      client.close();
    },
  );

  it('refreshes a token that expired during sleep', async () => {
    const { server, signedIn, world } = createHarness();
    const { client, tab } = await signedIn();
    server.on('POST /token', () => renewed(2));
    world.clock.sleep(8 * HOUR);
    tab.signal('resume');
    await world.settle();
    expect(client.getSnapshot().session?.accessToken).toBe(sessionReply('ada', 2).access_token);
  });
});

describe.each([
  ['an hour ahead', HOUR],
  ['an hour behind', -HOUR],
  ['a quarter of an hour ahead', HOUR / 4],
])('a tab whose clock is %s of the other', (_name, offsetMs) => {
  it("refreshes once to learn the server's time, then once per expiry", async () => {
    const harness = createHarness();
    serve(harness, dated);
    const { first, second, refreshes } = await openPair(harness, offsetMs);
    expect(refreshes()).toBeLessThanOrEqual(1);
    const before = refreshes();
    // A refresh comes between 60 and 90 seconds before each expiry: ten of them in just under ten hours.
    await harness.world.clock.advance(10 * HOUR - 600_000);
    expect(refreshes() - before).toBeLessThanOrEqual(11);
    expect(await first.getAccessToken()).toBe(await second.getAccessToken());
  });

  it('refreshes at most once per expiry with tokens without iat', async () => {
    const harness = createHarness();
    serve(harness, undated);
    const { refreshes } = await openPair(harness, offsetMs);
    await harness.world.clock.advance(10 * HOUR - 600_000);
    expect(refreshes()).toBeLessThanOrEqual(2 * 11);
  });
});

describe('a session refreshed by a server with another clock', () => {
  it('is not refreshed early', async () => {
    const harness = createHarness();
    serve(harness, dated);
    const { world, store, server } = harness;
    const { client, tab } = openWithClock(harness, HOUR);
    await client.start();
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    const now = world.clock.now() / 1000;
    const access_token = tokenOf('ada', 'server', dated(now));
    await store.set(
      'sb-project-auth-token',
      JSON.stringify(sessionReply('ada', 'server', { access_token, expires_at: now + 3600 })),
    );
    tab.signal('visible');
    await world.clock.advance(HOUR / 2);
    expect(await client.getAccessToken()).toBe(access_token);
    expect(server.lines).toHaveLength(1);
  });
});

describe('tokens from another source', () => {
  it('that are older than their response do not set the time by which other records expire', async () => {
    const { open, server, store, world } = createHarness();
    const { client, tab } = open();
    await client.start();
    server.on('GET /user', () => Response.json(userOf('ada')));
    const now = Math.floor(world.clock.now() / 1000);
    const halfOld = tokenOf('ada', 1, { exp: now + 1800, iat: now - 1800 });
    await client.setSession({ accessToken: halfOld, refreshToken: 'r' });
    const record = sessionReply('ada', 'server', { expires_at: now + 600 });
    await store.set('sb-project-auth-token', JSON.stringify(record));
    tab.signal('visible');
    await world.settle();
    server.on('POST /token', () => renewed(2));
    tab.setOnline(false);
    await world.clock.advance(601_000);
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it('expire by their exp with a slow clock', async () => {
    const { open, server, world } = createHarness();
    const { client } = open();
    await client.start();
    const exp = Math.floor(world.clock.now() / 1000) + 3600;
    world.clock.jump(-3600_000);
    server.on('GET /user', () => Response.json(userOf('ada')));
    const accessToken = tokenOf('ada', 1, { exp, iat: exp - 3600 });
    await client.setSession({ accessToken, refreshToken: 'r' });
    server.on('POST /token', () => Response.json(sessionReply('ada', 2)));
    await world.clock.advance(3700_000);
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it.each([-3600_000, 3600_000])(
    'tokens of a link expire after the expires_in of the link: a clock off by %i ms',
    async (offMs) => {
      const { open, server, world } = createHarness();
      const exp = Math.floor(world.clock.now() / 1000) + 3600;
      world.clock.jump(offMs);
      server.on('GET /user', () => Response.json(userOf('ada')));
      const token = tokenOf('ada', 1, { exp, iat: exp - 3600 });
      const { client, href } = open({
        acceptImplicitFlow: true,
        href: `http://app.test/home#access_token=${token}&refresh_token=r&provider_token=pt&provider_refresh_token=prt&expires_in=3600&expires_at=${exp}&sb=&token_type=bearer`,
      });
      const { session } = await client.start();
      expect((session?.expiresAtMs ?? 0) - world.clock.now()).toBe(3600_000);
      expect(session).toMatchObject({ providerToken: 'pt', providerRefreshToken: 'prt' });
      expect(href()).toBe('http://app.test/home');
      client.close();
    },
  );
});

describe('the time of the server, read from a new token', () => {
  const at = { now: 5_000_000, monotonicMs: 9 };
  const reply = (claims: object, more: object) =>
    sessionReply('ada', 1, { access_token: tokenOf('ada', 1, claims), ...more });

  it.each([
    ['is its time of issue', { iat: 1000 }, { expires_at: 4600 }, 1_000_000],
    ['may differ by a rounded second', { iat: 1000 }, { expires_at: 4601 }, 1_000_000],
    ['is unknown for an older token', { iat: 1000 }, { expires_at: 4602 }, null],
    ['is unknown without a time of issue', {}, { expires_at: 3600 }, null],
    ['is unknown where that is no number', { iat: '1000' }, { expires_at: 4600 }, null],
    ['is unknown for a token that is no JWT', {}, { access_token: 'opaque', expires_at: 3600 }, null],
  ])('%s', (_name, claims, more, ms) => {
    expect(serverTimeFrom(reply(claims, more), at)).toEqual(ms === null ? null : { ms, readAt: at });
  });

  it('sets the remaining lifetime of a record of another program, less the time since its reading', () => {
    const record = { ...reply({}, { expires_at: 4600 }), revision: 1 };
    const serverTime = { ms: 1_600_000, readAt: at };
    const later = { now: at.now + 60_000, monotonicMs: at.monotonicMs + 60_000 };
    expect(toActiveSession(record, later, { serverTime }).remainingMs).toBe(3600_000 - 600_000 - 60_000);
  });

  it('a record whose expiry exceeds the lifetime of its token is valid for that whole lifetime', () => {
    const record = { ...sessionReply('ada', 1), expires_at: 11_800, received_at: at.now };
    const serverTime = { ms: 1_000_000, readAt: at };
    expect(toActiveSession(record, at, { serverTime }).remainingMs).toBe(3600_000);
  });

  it('a record without an expiry is valid for the whole lifetime of its token', () => {
    const record = { ...sessionReply('ada', 1), expires_at: undefined };
    expect(toActiveSession(record, at).remainingMs).toBe(3600_000);
  });
});

test.each([
  [-9_999, 3600_000],
  [-10_000, 3600_000],
  [-10_001, 0],
])('a clock that was set back by %i ms leaves %i ms', (ageMs, remainingMs) => {
  const record = { ...sessionReply('ada', 1), received_at: 1_000_000 };
  expect(toActiveSession(record, { now: 1_000_000 + ageMs, monotonicMs: 0 }).remainingMs).toBe(remainingMs);
});

import { describe, expect, it } from 'vitest';
import { createHarness } from './support/harness.ts';
import { page, refusal, sessionReply, tokenOf, userOf } from '../support/wire/replies.ts';

const renewed = (serial: number) => Response.json(sessionReply('ada', serial));

describe('a server with Retry-After', () => {
  it.each([
    ['a clock an hour fast', 3600_000 + 1000, 3600],
    ['a token with three seconds left', 0, 3],
  ])('gets one request per 30 s: %s', async (_name, aheadMs, lifetimeSeconds) => {
    const { open, server, world } = createHarness();
    const { client } = open();
    await client.start();
    const exp = Math.floor(world.clock.now() / 1000) + lifetimeSeconds;
    world.clock.jump(aheadMs);
    server.on('GET /user', () => Response.json(userOf('ada')));
    server.on('POST /token', () => refusal(429, 'over_request_rate_limit'));
    const accessToken = tokenOf('ada', 1, { exp, iat: exp - 3600 });
    await client.setSession({ accessToken, refreshToken: 'r' });
    await world.clock.advance(59_000);
    expect(server.lines.filter((line) => line.startsWith('POST /token'))).toHaveLength(2);
    client.close();
  });

  const limited =
    (retryAfter: string, status = 429) =>
    () =>
      Response.json(
        { code: 'over_request_rate_limit', message: 'Too many requests' },
        { status, headers: { 'Retry-After': retryAfter } },
      );
  const later = new Date(Date.UTC(2026, 0, 1, 3, 2)).toUTCString();

  it.each([
    ['valid', 429, 3600_000 - 60_000, '120'],
    ['expired', 429, 2 * 3600_000, '120'],
    ['expired, and Retry-After is a date', 429, 3 * 3600_000, later],
    ['valid, and the server is down', 503, 3600_000 - 60_000, '120'],
    ['expired, and the server is down', 503, 2 * 3600_000, '120'],
  ])('gets no request before its Retry-After: the token is %s', async (_name, status, ageMs, retryAfter) => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(ageMs);
    server.on('POST /token', limited(retryAfter, status));
    const before = server.lines.length;
    for (let second = 0; second < 119; second += 1) {
      await client.getAccessToken().catch(() => undefined);
      await world.clock.advance(1_000);
    }
    expect(server.lines.length - before).toBe(1);
    server.on('POST /token', () => renewed(2));
    await world.clock.advance(31_000);
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it('gives each caller the remaining seconds', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.on('POST /token', limited('120'));
    const code = 'over_request_rate_limit';
    await expect(client.getAccessToken()).rejects.toMatchObject({ code, retryAfterSeconds: 120 });
    await world.clock.advance(20_000);
    await expect(client.getAccessToken()).rejects.toMatchObject({
      code,
      status: 429,
      retryAfterSeconds: 100,
    });
    await expect(client.refreshSession()).rejects.toMatchObject({ code, retryAfterSeconds: 100 });
    client.close();
  });

  it('does not delay adopting the token of another tab', async () => {
    const { signedIn, open, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(limited('120')());
    await expect(client.getAccessToken()).rejects.toMatchObject({ status: 429 });
    const other = open();
    await other.client.start();
    server.next(renewed(2));
    const token = await other.client.getAccessToken();
    expect(await client.getAccessToken()).toBe(token);
  });

  it('gets a request at once for a call after a refusal that is not a rate limit', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(page(403), renewed(2));
    await expect(client.getAccessToken()).rejects.toMatchObject({ status: 403 });
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    client.close();
  });

  it('receives one request for fifty reads', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(3600_000 - 60_000);
    server.on('POST /token', () => refusal(429, 'over_request_rate_limit'));
    const before = server.lines.length;
    for (let read = 0; read < 50; read += 1) {
      expect(await client.getAccessToken()).not.toBeNull();
      await world.settle();
    }
    expect(server.lines.length - before).toBe(1);
    client.close();
  });
});

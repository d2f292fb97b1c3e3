import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ADA, BOB, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

const TOPIC = 'realtime:user:ada';
const NOTES = { event: '*', schema: 'public', table: 'notes' };
const HOUR_MS = 3_600_000;

let world: RealtimeWorld;
beforeAll(async () => {
  world = await createRealtimeWorld({ idleTimeoutMs: 100 * HOUR_MS, emptySocketTimeoutMs: 100 * HOUR_MS });
});
afterAll(() => world.close());

const expired = (message: string) => [
  {
    joinRef: '1',
    ref: null,
    topic: TOPIC,
    event: 'system',
    payload: { extension: 'system', status: 'error', message, channel: 'user:ada' },
  },
  { joinRef: '1', ref: '1', topic: TOPIC, event: 'phx_close', payload: {} },
];

describe('a token that expires', () => {
  test('ends its channel with a system error and phx_close; the socket stays open', async () => {
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA) });
    world.timers.advance(HOUR_MS - 1_000);
    expect(await client.flush()).toEqual([]);
    world.timers.advance(1_000);
    expect([await client.next(), await client.next()]).toEqual(expired('Token has expired 0 seconds ago'));
    await world.database.query('insert into notes (owner) values ($1)', [ADA]);
    await world.service.settled();
    expect(await client.flush()).toEqual([]);
    await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA) });
  });

  test('is detected after a jump of the clock, with its age at that time', async () => {
    const client = await world.connect();
    const exp = Math.floor(world.timers.now() / 1000) + 10;
    await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA, { exp }) });
    world.timers.advance(15_000);
    expect((await client.nextOf('system')).payload['message']).toMatch(/^Token has expired \d+ seconds ago$/);
  });
});

describe('an access_token push', () => {
  test('an access_token push with null, the same token or an API key changes nothing', async () => {
    const client = await world.connect();
    const token = await world.tokenOf(ADA);
    await client.joinLive(TOPIC, { changes: [NOTES], token });
    for (const pushed of [null, token, world.keys.publishableKey, 7]) {
      client.send('1', '7', TOPIC, 'access_token', { access_token: pushed });
    }
    expect(await client.flush()).toEqual([]);
  });

  test('an access_token push with an invalid token closes the channel with the reason', async () => {
    const reasons: [string, string][] = [
      ['garbage', 'The token provided is not a valid JWT'],
      [
        await world.keys.sign({ sub: ADA, role: 'authenticated' }),
        'Fields `role` and `exp` are required in JWT',
      ],
      [`${await world.tokenOf(ADA)}x`, ':signature_error'],
      [
        await world.tokenOf(ADA, { exp: Math.floor(world.timers.now() / 1000) - 30 }),
        'Token has expired 30 seconds ago',
      ],
    ];
    const seconds = Math.floor(world.timers.now() / 1000);
    for (const [exp, printed] of [
      [seconds - 0.5, String(seconds - 0.5)],
      [String(seconds + 9), `"${seconds + 9}"`],
    ]) {
      reasons.push([
        await signedAs({ alg: 'HS256' }, { exp, role: 'anon' }),
        `[message: ${seconds}, claim: "exp", claim_val: ${printed}]`,
      ]);
    }
    reasons.push([
      await world.tokenOf(ADA, { iat: null }),
      '[message: "Invalid token", claim: "iat", claim_val: :null]',
    ]);
    for (const [token, message] of reasons) {
      const client = await world.connect();
      client.join(TOPIC, { token: await world.tokenOf(ADA) });
      client.send('1', '7', TOPIC, 'access_token', { access_token: token });
      expect((await client.flush()).slice(1)).toEqual(expired(message));
    }
  });
});

describe('access_token pushes within the throttle', () => {
  const throttleMs = 10_000;
  const subscribed = { event: 'system', payload: { message: 'Subscribed to PostgreSQL' } };
  const open = async (claims: Record<string, unknown> = {}) => {
    const client = await world.connect();
    await client.joinLive(TOPIC, { changes: [NOTES], token: await world.tokenOf(ADA, claims) });
    return {
      client,
      push: (token: string) => client.send('1', '7', TOPIC, 'access_token', { access_token: token }),
    };
  };
  beforeAll(() => world.service.configure({ accessTokenThrottleMs: throttleMs }));
  afterAll(() => world.service.configure({ accessTokenThrottleMs: 0 }));

  test('verify the first token at once, and the newest of the others when the throttle ends', async () => {
    const { client, push } = await open();
    push(await world.tokenOf(ADA, { n: 1 }));
    expect(await client.next()).toMatchObject(subscribed);
    push('garbage');
    push(await world.tokenOf(BOB));
    world.timers.advance(throttleMs - 1);
    expect(await client.flush()).toEqual([]);
    world.timers.advance(1);
    expect(await client.next()).toMatchObject(subscribed);
    await world.database.query('insert into notes (owner) values ($1), ($2)', [ADA, BOB]);
    await world.service.settled();
    expect((await client.flush()).map(({ payload }) => payload['data'])).toMatchObject([
      { record: { owner: BOB } },
    ]);
    push('garbage');
    world.timers.advance(throttleMs - 1);
    expect(await client.flush()).toEqual([]);
    world.timers.advance(1);
    expect(await client.next()).toMatchObject({ payload: { status: 'error' } });
  });

  test('verify a held token when the current one expires', async () => {
    const exp = Math.floor(world.timers.now() / 1000) + 5;
    const { client, push } = await open();
    push(await world.tokenOf(ADA, { exp }));
    expect(await client.next()).toMatchObject(subscribed);
    push(await world.tokenOf(ADA));
    await client.flush();
    world.timers.advance(5_000);
    expect(await client.next()).toMatchObject(subscribed);
  });
});

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const unsigned = (header: object) => `${encode(header)}.${encode({ role: 'anon' })}.`;
const signedAs = (header: { readonly alg: string }, claims: Record<string, unknown>) =>
  new SignJWT(claims)
    .setProtectedHeader(header)
    .sign(new TextEncoder().encode('super-secret-jwt-token-with-at-least-32-characters-long'));

describe('a join', () => {
  test('a join with an invalid token is refused with the reason, and the socket stays open', async () => {
    const seconds = Math.floor(world.timers.now() / 1000);
    const check = 'check your JWT secret or JWKS configuration';
    const cases: [string, string][] = [
      [await world.tokenOf(ADA, { exp: seconds - 5 }), 'InvalidJWTToken: Token has expired 5 seconds ago'],
      ['garbage', 'MalformedJWT: The token provided is not a valid JWT'],
      [`${await world.tokenOf(ADA)}x`, 'JwtSignatureError: Failed to validate JWT signature'],
      [
        await world.keys.sign({ sub: ADA, exp: seconds + 9 }),
        'InvalidJWTToken: Fields `role` and `exp` are required in JWT',
      ],
      [
        await signedAs({ alg: 'HS256' }, { exp: String(seconds + 9), role: 'anon' }),
        'Unknown Error on Channel',
      ],
      [unsigned({ alg: 'none' }), `JwtSignerError: Failed to generate JWT signer, ${check}`],
      [
        unsigned({ alg: 'ES256', kid: 'other' }),
        `JwtSignerError: Failed to generate JWT signer for key ID (kid) "other", ${check}`,
      ],
    ];
    const client = await world.connect();
    for (const [token, reason] of cases) {
      client.join(TOPIC, { token });
      expect(await client.next()).toMatchObject({
        ref: '1',
        payload: { status: 'error', response: { reason } },
      });
    }
    expect(await client.flush()).toEqual([]);
  });

  test('a join decodes percent-encoding and ignores white space in a token', async () => {
    const client = await world.connect();
    const token = (await world.tokenOf(ADA)).replaceAll('.', ' \n%2E');
    client.join(TOPIC, { token });
    expect((await client.next()).payload['status']).toBe('ok');
  });

  test('a join without a token, or with an API key instead, has the permissions of the socket’s key', async () => {
    const client = await world.connect({ apiKey: world.keys.secretKey });
    await client.joinLive('realtime:a', { changes: [NOTES] });
    await client.joinLive('realtime:b', { changes: [NOTES], token: world.keys.publishableKey });
    await world.database.query('insert into notes (owner) values ($1)', [BOB]);
    await world.service.settled();
    expect((await client.flush()).map(({ topic }) => topic)).toEqual(['realtime:a', 'realtime:b']);
  });

  test('a join that is refused blocks its socket during the backoff', async () => {
    world.service.configure({ joinErrorBackoffMs: 5_000 });
    const client = await world.connect();
    const before = world.timers.pending;
    client.join(TOPIC, { token: 'garbage' });
    client.send(null, 'late', 'phoenix', 'heartbeat', {});
    await waitUntil(() => world.timers.pending > before);
    world.timers.advance(5_000);
    expect([(await client.next()).event, (await client.next()).ref]).toEqual(['phx_reply', 'late']);
    world.service.configure({ joinErrorBackoffMs: 0 });
  });
});

describe('a handshake', () => {
  test('is admitted with either form of API key', async () => {
    for (const apiKey of [world.keys.anonKey, world.keys.publishableKey, world.keys.secretKey]) {
      const client = await world.connect({ apiKey });
      expect(await client.flush()).toEqual([]);
    }
  });

  test('a handshake without a valid key is refused with 401', async () => {
    const stale = await world.keys.sign({ role: 'anon', exp: Math.floor(world.timers.now() / 1000) - 1 });
    for (const apiKey of ['', 'nonsense', 'sb_publishable_other', stale]) {
      await expect(world.connect({ apiKey })).rejects.toThrow('Unexpected server response: 401');
    }
  });

  test.each([
    ['', 'API key is missing'],
    ['?apikey=', 'The token provided is not a valid JWT'],
  ])('the handshake with the query "%s" is refused with "%s"', async (query, error) => {
    const url = new URL(`/realtime/v1/websocket${query}`, world.url);
    expect(await world.service.handshake(url)).toEqual({ status: 401, error });
  });

  test('a handshake with a token for which the server has no message is refused with 500', async () => {
    const apiKey = await signedAs({ alg: 'HS256' }, { exp: 'soon', role: 'anon' });
    await expect(world.connect({ apiKey })).rejects.toThrow('Unexpected server response: 500');
  });

  test('a handshake on another path is refused with 404', async () => {
    const url = `${world.url}/elsewhere`;
    await expect(world.connect({ url })).rejects.toThrow('Unexpected server response: 404');
  });

  test('a handshake that fails with an internal error is closed, and the error is reported', async () => {
    const verify = vi.spyOn(world.keys, 'verify').mockRejectedValueOnce(new Error('Inside'));
    await expect(world.connect()).rejects.toThrow('socket hang up');
    expect(world.reported.splice(0)).toEqual([new Error('Inside')]);
    verify.mockRestore();
  });
});

async function waitUntil(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5 }).toBe(true);
}

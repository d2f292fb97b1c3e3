import { type CryptoKey, SignJWT, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { type ClaimsOptions, createClaims } from '../../src/auth-client/features/claims.ts';
import type { AuthError } from '../../src/auth-client/errors.ts';
import { createHarness } from './support/harness.ts';
import { page, refusal, sessionReply, tokenOf, userOf } from '../support/wire/replies.ts';

/** Each verifier has another project, because the key sets are shared by all clients of the realm. */
let projects = 0;
const projectUrl = () => `http://project-${projects}.test`;
const issuer = () => `${projectUrl()}/auth/v1`;
const KEYS = 'GET /.well-known/jwks.json';

async function keyOf(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
type Key = Awaited<ReturnType<typeof keyOf>>;

function sign(key: { alg: string; kid: string; privateKey: CryptoKey }, nowMs: number, more: object = {}) {
  const claims = { sub: 'ada', iss: issuer(), aud: 'authenticated', exp: nowMs / 1000 + 3600, ...more };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
    .sign(key.privateKey);
}

async function verifier(keys: readonly Key[], options?: ClaimsOptions) {
  projects += 1;
  const harness = createHarness();
  const { client } = harness.open({ url: projectUrl() });
  let published = keys;
  harness.server.on(KEYS, () => Response.json({ keys: published.map(({ jwk }) => jwk) }));
  return {
    ...harness,
    client,
    claims: createClaims(client, options),
    now: () => harness.world.clock.now(),
    publish: (next: readonly Key[]) => (published = next),
    fetches: () => harness.server.lines.filter((line) => line === KEYS).length,
  };
}

describe('claims', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('%s is verified locally', async (alg) => {
    const key = await keyOf(alg, 'k1');
    const { claims, now, server } = await verifier([key]);
    expect(await claims.getClaims({ accessToken: await sign(key, now()) })).toMatchObject({
      sub: 'ada',
      iss: issuer(),
    });
    expect(server.lines).toEqual([KEYS]);
  });

  it.each([{ token: 'x' }, { accessToken: 'x', jwks: {} }, 'x', 7, null])(
    'the request %j is refused, instead of verifying the session’s token',
    async (request) => {
      const { claims, server } = await verifier([]);
      await expect(claims.getClaims(request as object)).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(server.lines).toEqual([]);
    },
  );

  it('the key set is cached for 10 minutes', async () => {
    const key = await keyOf('ES256', 'k1');
    const { claims, now, world, fetches } = await verifier([key]);
    const token = await sign(key, now());
    await Promise.all([claims.getClaims({ accessToken: token }), claims.getClaims({ accessToken: token })]);
    await world.clock.advance(599_000);
    await claims.getClaims({ accessToken: token });
    expect(fetches()).toBe(1);
    await world.clock.advance(2_000);
    await claims.getClaims({ accessToken: token });
    expect(fetches()).toBe(2);
  });

  it('a key is imported once for all tokens and clients', async () => {
    const key = await keyOf('ES256', 'k1');
    const { claims, client, now } = await verifier([key]);
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    const accessToken = await sign(key, now());
    for (const verifier of [claims, claims, createClaims(client)]) await verifier.getClaims({ accessToken });
    const imports = importKey.mock.calls.filter(([format]) => format === ('jwk' as string));
    importKey.mockRestore();
    expect(imports).toHaveLength(1);
  });

  it('an unknown kid fetches the key set only once more', async () => {
    const [old, next, stranger] = await Promise.all([
      keyOf('ES256', 'k1'),
      keyOf('ES256', 'k2'),
      keyOf('ES256', 'k3'),
    ]);
    const { claims, now, server, world, fetches, publish } = await verifier([old]);
    await claims.getClaims({ accessToken: await sign(old, now()) });
    publish([old, next]);
    await world.clock.advance(31_000);
    expect(await claims.getClaims({ accessToken: await sign(next, now()) })).toMatchObject({ sub: 'ada' });
    expect(fetches()).toBe(2);
    server.on('GET /user', () => refusal(403, 'bad_jwt'));
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(claims.getClaims({ accessToken: await sign(stranger, now()) })).rejects.toMatchObject({
        code: 'bad_jwt',
      });
    expect(fetches()).toBe(2);
  });

  it('the server verifies a token of a key that its cached key set lacks', async () => {
    const [old, next] = await Promise.all([keyOf('ES256', 'k1'), keyOf('ES256', 'k2')]);
    const { claims, now, server } = await verifier([old]);
    server.on('GET /user', () => Response.json(userOf('ada')));
    const accessToken = await sign(next, now());
    expect(await claims.getClaims({ accessToken })).toMatchObject({ sub: 'ada' });
    expect(server.lines).toEqual([KEYS, 'GET /user']);
  });

  it('forged key ids reach the server ten times in 30 s, and do not lock out a key that it accepts', async () => {
    const [old, next, stranger] = await Promise.all(['k1', 'k2', 'k3'].map((kid) => keyOf('ES256', kid)));
    if (!old || !next || !stranger) throw new Error('three keys');
    const { claims, now, server, world } = await verifier([old]);
    const accepted = await sign(next, now());
    server.on('GET /user', ({ headers }) =>
      headers.get('authorization') === `Bearer ${accepted}`
        ? Response.json(userOf('ada'))
        : refusal(403, 'bad_jwt'),
    );
    const questions = () => server.lines.filter((line) => line === 'GET /user').length;
    await claims.getClaims({ accessToken: accepted });
    const attack = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const accessToken = await sign({ ...stranger, kid: `forged-${n}` }, now());
        await expect(claims.getClaims({ accessToken })).rejects.toMatchObject({ name: 'AuthError' });
      }
    };
    await attack(25);
    expect(questions()).toBe(11);
    expect(await claims.getClaims({ accessToken: accepted })).toMatchObject({ sub: 'ada' });
    await world.clock.advance(30_000);
    await attack(25);
    expect(questions()).toBe(22);
  });

  it('during an outage a token of an unknown key is neither accepted nor refused, and cached keys stay in use', async () => {
    const [old, stranger] = await Promise.all([keyOf('ES256', 'k1'), keyOf('ES256', 'k2')]);
    const { claims, now, server, world, fetches } = await verifier([old]);
    const getClaims = async (key: Key) => claims.getClaims({ accessToken: await sign(key, now()) });
    await getClaims(old);
    await world.clock.advance(31_000);
    server.on(KEYS, () => page(503));
    server.on('GET /user', () => page(503));
    for (let n = 0; n < 20; n += 1)
      await expect(getClaims(stranger)).rejects.toMatchObject({ code: 'not-the-service', status: 503 });
    expect(await getClaims(old)).toMatchObject({ sub: 'ada' });
    expect(fetches()).toBe(2);
  });

  it('distinguishes an expired token from one with an unknown key', async () => {
    const [key, stranger] = await Promise.all([keyOf('ES256', 'k1'), keyOf('ES256', 'k1')]);
    const { claims, now } = await verifier([key]);
    await expect(claims.getClaims({ accessToken: await sign(key, now(), { exp: 1 }) })).rejects.toMatchObject(
      {
        code: 'token-expired',
        cause: expect.anything(),
      },
    );
    await expect(claims.getClaims({ accessToken: await sign(stranger, now()) })).rejects.toMatchObject({
      code: 'invalid-signature',
      cause: expect.anything(),
    });
  });

  it('a token that expired less than five seconds ago is accepted, because clocks differ', async () => {
    const key = await keyOf('ES256', 'k1');
    const { claims, now } = await verifier([key]);
    const getClaims = async (agoSeconds: number) =>
      claims.getClaims({ accessToken: await sign(key, now(), { exp: now() / 1000 - agoSeconds }) });
    expect(await getClaims(4)).toMatchObject({ sub: 'ada' });
    await expect(getClaims(6)).rejects.toMatchObject({ code: 'token-expired' });
  });

  it.each([
    ['for another audience', { aud: 'anon' }],
    ['without a subject', { sub: undefined }],
    ['without an expiry', { exp: undefined }],
    ['not valid yet', { nbf: 4_102_444_800 }],
    ['of another issuer than the stated one', { iss: 'http://other.test' }, { issuer: 'http://evil.test' }],
    ['without the stated issuer', { iss: undefined }, { issuer: 'http://evil.test' }],
  ])('a token that is %s is refused', async (_name, more, options?: ClaimsOptions) => {
    const key = await keyOf('ES256', 'k1');
    const { claims, now } = await verifier([key], options);
    await expect(claims.getClaims({ accessToken: await sign(key, now(), more) })).rejects.toMatchObject({
      name: 'AuthError',
      code: 'invalid-token',
      cause: expect.anything(),
    });
  });

  it.each([
    ['a custom hostname', 'https://ref.supabase.co/auth/v1'],
    ['a self-hosted project', 'https://api.acme.com'],
    ['an older self-hosted project, which names none', undefined],
  ])('a token of %s is verified with its key, as by the vendor’s client', async (_name, iss) => {
    const key = await keyOf('ES256', 'k1');
    const { claims, client, now } = await verifier([key]);
    const accessToken = await sign(key, now(), { iss });
    expect(await claims.getClaims({ accessToken })).toMatchObject({ sub: 'ada' });
    const stated = createClaims(client, { issuer: 'https://ref.supabase.co/auth/v1' });
    const outcome = stated.getClaims({ accessToken }).then(
      () => 'accepted',
      ({ code }: AuthError) => code,
    );
    expect(await outcome).toBe(iss?.startsWith('https://ref') ? 'accepted' : 'invalid-token');
  });

  it('a forged signature, an unexpected algorithm and a value that is not a JWT are refused', async () => {
    const key = await keyOf('RS256', 'k1');
    const { claims, now, server } = await verifier([key]);
    const token = await sign(key, now());
    const [header, payload] = token.split('.');
    const forged = Buffer.from(
      JSON.stringify({ sub: 'eve', iss: issuer(), aud: 'authenticated', exp: 9e9 }),
    ).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'k1' })).toString('base64url');
    const pss = await sign({ ...(await keyOf('PS256', 'k1')) }, now());
    await expect(
      claims.getClaims({ accessToken: `${header}.${forged}.${token.split('.')[2]}` }),
    ).rejects.toMatchObject({ code: 'invalid-signature' });
    for (const bad of [`${none}.${payload}.`, pss, 'text', ''.padEnd(9, '.')])
      await expect(claims.getClaims({ accessToken: bad })).rejects.toMatchObject({ code: 'invalid-token' });
    expect(server.lines).toEqual([KEYS]);
  });

  it('a malformed JWT is refused without a request', async () => {
    const { claims, server } = await verifier([]);
    await expect(claims.getClaims({ accessToken: 'text' })).rejects.toMatchObject({ code: 'invalid-token' });
    expect(server.lines).toEqual([]);
  });

  it('HS256 is verified by GET /user', async () => {
    const { claims, server } = await verifier([]);
    server.on('GET /user', () => Response.json(userOf('ada')));
    const aud = 'authenticated';
    expect(await claims.getClaims({ accessToken: tokenOf('ada', 1, { aud }) })).toMatchObject({ sub: 'ada' });
    // The server accepts a token of another audience, too, which a header of the sign-up chose.
    for (const token of [tokenOf('eve', 1, { aud }), tokenOf('ada', 1, { aud: 'evil' }), tokenOf('ada', 1)])
      await expect(claims.getClaims({ accessToken: token })).rejects.toMatchObject({ code: 'invalid-token' });
    expect(server.lines).toHaveLength(4);
  });

  it.each([
    [{ issuer: 'https://issuer.test' }, { iss: 'https://other.test' }],
    [{ audience: 'mobile' }, { aud: 'authenticated' }],
  ])(
    'a token that the server verifies must also have the stated issuer and audience: %j',
    async (options, other) => {
      const { claims, server } = await verifier([], options);
      server.on('GET /user', () => Response.json(userOf('ada')));
      const parties = { iss: 'https://issuer.test', aud: ['authenticated', 'mobile'] };
      expect(await claims.getClaims({ accessToken: tokenOf('ada', 1, parties) })).toMatchObject(parties);
      await expect(
        claims.getClaims({ accessToken: tokenOf('ada', 1, { ...parties, ...other }) }),
      ).rejects.toMatchObject({ code: 'invalid-token' });
    },
  );

  it("a client whose clock is an hour fast accepts the session's token", async () => {
    const key = await keyOf('ES256', 'k1');
    const { claims, client, now, server, world } = await verifier([key]);
    const token = await sign(key, now(), { iat: now() / 1000 });
    const reply = sessionReply('ada', 1, { access_token: token, expires_at: now() / 1000 + 3600 });
    world.clock.jump(2 * 3600_000);
    server.next(Response.json(reply));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    expect(await claims.getClaims()).toMatchObject({ sub: 'ada' });
  });

  it('returns null without a user', async () => {
    const { claims } = await verifier([]);
    expect(await claims.getClaims()).toBeNull();
  });

  it('clients of a realm share the key set of an issuer and its request', async () => {
    const key = await keyOf('ES256', 'k1');
    const { claims, now, fetches, open } = await verifier([key]);
    const others = [open({ url: projectUrl() }), open({ url: projectUrl() })].map(({ client }) =>
      createClaims(client),
    );
    const token = await sign(key, now());
    await Promise.all([claims, ...others].map(({ getClaims }) => getClaims({ accessToken: token })));
    expect(fetches()).toBe(1);
  });

  it('a failed fetch of the keys is not cached', async () => {
    const key = await keyOf('ES256', 'k1');
    const { claims, now, server } = await verifier([key]);
    server.next(() => Promise.reject<Response>(new TypeError('Failed to fetch')));
    const token = await sign(key, now());
    await expect(claims.getClaims({ accessToken: token })).rejects.toMatchObject({ code: 'network' });
    expect(await claims.getClaims({ accessToken: token })).toMatchObject({ sub: 'ada' });
  });
});

import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import { shareRequest } from '../../src/auth-client/wire/shared-request.ts';
import { createServerClients } from '../../src/clients/server.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { sessionReply, tokenOf } from '../support/wire/replies.ts';
import { createHarness } from './support/harness.ts';

const apiKey = 'sb_publishable_x';
const never = () => new Promise<Response>(() => undefined);

/** On Cloudflare Workers nothing that an incoming request began outlives it: neither its fetch nor its timers. */
describe('a shared request that the runtime ended', () => {
  it('for the key set is sent again by the next verification', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
    const url = 'http://keys-of-an-ended-request.test';
    const { world, server, open } = createHarness();
    const accessToken = await new SignJWT({
      aud: 'authenticated',
      sub: 'ada',
      exp: world.clock.now() / 1000 + 60,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(privateKey);
    server.on('GET /.well-known/jwks.json', never);
    const ended = open({ url });
    void createClaims(ended.client).getClaims({ accessToken });
    await world.settle();
    ended.tab.crash();
    server.on('GET /.well-known/jwks.json', () => Response.json({ keys: [jwk] }));
    const claims = createClaims(open({ url }).client).getClaims({ accessToken });
    await world.clock.advance(15_000);
    expect(await claims).toMatchObject({ sub: 'ada' });
  });

  it('for new tokens is sent again by the next request with the same cookies', async () => {
    const url = 'http://tokens-of-an-ended-request.test';
    const world = createFakeWorld();
    const nowSeconds = Math.floor(world.clock.now() / 1000);
    const stored = sessionReply('ada', 1, { expires_at: nowSeconds - 60 });
    const cookies = {
      getAll: () => [{ name: 'sb-tokens-of-an-ended-request-auth-token', value: JSON.stringify(stored) }],
      setAll: () => undefined,
    };
    const accessTokenOf = (fetch: () => Promise<Response>) => {
      const platform = world.openTab({ fetch });
      const { auth } = createServerClients({ url, apiKey, platform, cookies });
      return { platform, token: auth.getAccessToken() };
    };
    const ended = accessTokenOf(never);
    await world.settle();
    ended.platform.crash();
    const next = accessTokenOf(async () =>
      Response.json(sessionReply('ada', 2, { expires_at: nowSeconds + 3600 })),
    );
    await world.clock.advance(15_000);
    expect(await next.token).toBe(tokenOf('ada', 2));
  });

  it('for new tokens is sent again by the same client', async () => {
    const { world, server, signedIn } = createHarness();
    const tab = world.openTab();
    let isEnded = false;
    const setTimer = (callback: () => void, delayMs: number) =>
      isEnded ? { cancel() {} } : tab.clock.setTimer(callback, delayMs);
    const platform = { ...tab, fetch: server.fetch, clock: { ...tab.clock, setTimer } };
    const { client } = await signedIn({ platform });
    isEnded = true;
    server.next(never);
    void client.refreshSession();
    await world.settle();
    isEnded = false;
    server.next(Response.json(sessionReply('ada', 2)));
    const next = client.refreshSession();
    // The lock of the refresh that has ended is taken, too.
    await world.clock.advance(120_000 + 20_000);
    expect((await next).accessToken).toBe(tokenOf('ada', 2));
  });

  it.each([
    ['never settles', never],
    ['rejects with an error of the runtime', () => Promise.reject<Response>(new Error('can never settle'))],
  ])('is replaced once for all callers where its promise %s', async (_how, end) => {
    const world = createFakeWorld();
    const { clock } = world.openTab();
    const outcome = end().then((value) => ({ value }));
    const slot = { shared: { outcome, startedMs: clock.monotonicMs() } };
    let requests = 0;
    const call = () =>
      shareRequest(clock, slot, async () => {
        requests += 1;
        return new Response();
      });
    const all = Promise.all([call(), call()]);
    await world.clock.advance(15_000);
    await all;
    expect(requests).toBe(1);
  });
});

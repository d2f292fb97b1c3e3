import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { refusal, sessionReply, tokenOf } from '../support/wire/replies.ts';

function openRefused(message: string) {
  const world = createFakeWorld();
  const sent = { refreshes: 0, reads: 0 };
  let serial = 0;
  const fetch = async (input: RequestInfo | URL) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!url.includes('/token')) {
      sent.reads += 1;
      return refusal(401, 'PGRST303', { message });
    }
    if (url.includes('refresh_token')) sent.refreshes += 1;
    const iat = Math.floor(world.clock.now() / 1000);
    const user = url.includes('password') && serial > 0 ? 'bob' : 'ada';
    const access_token = tokenOf(user, (serial += 1), { iat, exp: iat + 3600 });
    return Response.json(sessionReply(user, serial, { access_token, expires_at: iat + 3600 }));
  };
  const clients = createSupabaseClients({
    url: 'http://project.test',
    apiKey: 'k',
    platform: world.openTab({ fetch }),
    store: createMemoryStore(),
  });
  const signIn = () => clients.auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
  const read = async () => {
    const failed = clients.rest.from('t').select().execute({ retry: false });
    return failed.then(
      () => 'rows',
      ({ code }: { code: string }) => code,
    );
  };
  return { ...clients, world, sent, signIn, read };
}

describe('a service that refuses every token', () => {
  it.each([
    ['JWT expired', 'token-expired', { refreshes: 1, reads: 11 }],
    ['JWT issued at future', 'token-not-yet-valid', { refreshes: 0, reads: 10 }],
    ['JWT not yet valid', 'token-not-yet-valid', { refreshes: 0, reads: 10 }],
    ['JWT not in audience', 'invalid-claims', { refreshes: 0, reads: 10 }],
    ['Parsing claims failed', 'invalid-claims', { refreshes: 0, reads: 10 }],
  ])('causes at most one refresh in ten reads with “%s”', async (message, code, sent) => {
    const opened = openRefused(message);
    await opened.signIn();
    for (let n = 0; n < 10; n += 1) expect(await opened.read()).toBe(code);
    expect(opened.sent).toEqual(sent);
    expect(opened.auth.getSnapshot().status).toBe('signed-in');
    opened.close();
  });

  it('as expired costs one more refresh after half of a token’s lifetime, and one for the next user', async () => {
    const opened = openRefused('JWT expired');
    await opened.signIn();
    await opened.read();
    await opened.world.clock.advance(29 * 60_000);
    await opened.read();
    expect(opened.sent.refreshes).toBe(1);
    await opened.world.clock.advance(60_000);
    await opened.read();
    await opened.read();
    expect(opened.sent.refreshes).toBe(2);
    await opened.signIn();
    await opened.read();
    await opened.read();
    expect(opened.sent.refreshes).toBe(3);
    opened.close();
  });
});

import { describe, expect, it } from 'vitest';
import { type AuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createIdentities } from '../../src/auth-client/features/identities.ts';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import { decodeJwtClaims } from '../../src/platform/jwt.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createHarness } from './support/harness.ts';
import { deferred, refusal, sessionReply, userOf } from '../support/wire/replies.ts';

const factorId = 'f0000000-0000-4000-8000-000000000001';
const renewed = (id: string, version: number) => Response.json(sessionReply(id, version));
const senderOf = (headers: Headers) => decodeJwtClaims(headers.get('authorization') ?? '')?.['sub'];

describe('a request of one user is not sent as the next user', () => {
  it("a request of one user is not sent as the next user after a 401 for the previous user's token", async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    const slow = deferred<Response>();
    server.next(() => slow.promise);
    const change = client.updateUser({ password: 'a new one of ada' });
    change.catch(() => undefined);
    await world.settle();
    server.on('POST /logout', () => new Response(null, { status: 204 }));
    await client.signOut();
    server.next(renewed('bob', 1));
    await client.signInWithPassword({ email: 'bob@example.com', password: 'x' });
    slow.resolve(refusal(403, 'session_not_found'));
    await expect(change).rejects.toMatchObject({ code: 'user-changed' });
    expect(server.lines.filter((line) => line === 'PUT /user')).toHaveLength(1);
  });

  it('a rejected token of one user is not replaced by a token of the next user', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    const rejectedToken = (await client.getAccessToken()) ?? '';
    server.next(renewed('bob', 1));
    await client.signInWithPassword({ email: 'bob@example.com', password: 'x' });
    const replacement = client.getAccessToken({ rejectedToken });
    await expect(replacement).rejects.toMatchObject({ code: 'user-changed' });
    expect(server.lines).toHaveLength(2);
  });

  it('a request of one user is not sent as the next user after waiting for a refresh', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    const slow = deferred<Response>();
    server.next(() => slow.promise);
    const change = client.updateUser({ password: 'a new one of ada' });
    change.catch(() => undefined);
    await world.settle();
    server.next(renewed('bob', 1));
    await client.signInWithPassword({ email: 'bob@example.com', password: 'x' });
    slow.resolve(renewed('ada', 2));
    await expect(change).rejects.toMatchObject({ code: 'user-changed' });
    expect(server.lines).not.toContain('PUT /user');
    expect(client.getSnapshot().user?.id).toBe('bob');
  });

  it('a request of one user is not sent as the next user for a write of a row', async () => {
    const { server, store, world } = createHarness();
    const platform = world.openTab({ fetch: server.fetch });
    const { auth, rest, close } = createSupabaseClients({
      url: 'http://project.test',
      apiKey: 'key',
      platform,
      store,
    });
    await auth.start();
    server.next(renewed('ada', 1));
    await auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
    const slow = deferred<Response>();
    server.next(() => slow.promise);
    const write = rest.from('notes').insert({ body: 'a private note of ada' }).execute();
    write.catch(() => undefined);
    await world.settle();
    server.next(renewed('bob', 1));
    await auth.signInWithPassword({ email: 'bob@example.com', password: 'x' });
    const expired = { code: 'PGRST303', message: 'JWT expired', details: null, hint: null };
    slow.resolve(Response.json(expired, { status: 401 }));
    await expect(write).rejects.toMatchObject({ name: 'RestError' });
    const writes = server.sent.filter(({ path }) => path.includes('notes'));
    expect(writes.map(({ headers }) => senderOf(headers))).toEqual(['ada']);
    close();
  });

  it.each(['this tab', 'another tab'])(
    'a request of one user is not sent as the next user where a second factor is verified and another user signs in, in %s',
    async (where) => {
      const { signedIn, open, server, stored, world } = createHarness();
      const { client } = await signedIn();
      const other = where === 'this tab' ? client : open().client;
      await other.start();
      const slow = deferred<Response>();
      server.next(() => slow.promise);
      client.refreshSession().catch(() => undefined);
      await world.settle();
      const verification = createMfa(client).verify({ factorId, challengeId: 'c', code: '123456' });
      verification.catch(() => undefined);
      await world.settle();
      server.next(renewed('bob', 1));
      await other.signInWithPassword({ email: 'bob@example.com', password: 'x' });
      server.on(`POST /factors/${factorId}/verify`, () => renewed('ada', 9));
      slow.resolve(renewed('ada', 2));
      await expect(verification).rejects.toMatchObject({ code: 'user-changed' });
      await world.settle();
      expect(await stored()).toMatchObject({ user: { id: 'bob' } });
      expect(client.getSnapshot().user?.id).toBe('bob');
    },
  );

  it('a renewal does not return the session of the user who signs in meanwhile', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    const slow = deferred<Response>();
    server.next(() => slow.promise);
    const renewal = client.refreshSession();
    await world.settle();
    server.next(renewed('bob', 1));
    await client.signInWithPassword({ email: 'bob@example.com', password: 'x' });
    slow.resolve(renewed('ada', 2));
    await expect(renewal).rejects.toMatchObject({ code: 'user-changed' });
    expect(client.getSnapshot().user?.id).toBe('bob');
  });

  it.each<[string, (client: AuthClient) => Promise<unknown>]>([
    ['an email change', (client) => client.updateUser({ email: 'new.ada@example.com' })],
    ['a linked identity', (client) => createIdentities(client).linkIdentity({ provider: 'github' })],
  ])('%s that waits for storage is not sent as the user who signs in meanwhile', async (_what, call) => {
    const memory = createMemoryStore();
    const stored = deferred<void>();
    const { signedIn, server, world } = createHarness({
      ...memory,
      set: (key, value) =>
        key.includes('verifier') ? stored.promise.then(() => memory.set(key, value)) : memory.set(key, value),
    });
    const { client } = await signedIn();
    const outcome = call(client).catch(({ code }: { readonly code: string }) => code);
    await world.settle();
    server.next(renewed('bob', 1));
    await client.signInWithPassword({ email: 'bob@example.com', password: 'x' });
    const sent = server.lines.length;
    stored.resolve();
    expect(await outcome).toBe('user-changed');
    expect(server.lines.slice(sent)).toEqual([]);
  });

  it('a late verification is not stored for the next user', async () => {
    const { signedIn, server, stored, world } = createHarness();
    const { client } = await signedIn();
    const slow = deferred<Response>();
    server.on(`POST /factors/${factorId}/verify`, () => slow.promise);
    const verification = createMfa(client).verify({ factorId, challengeId: 'c', code: '123456' });
    verification.catch(() => undefined);
    await world.settle();
    // A different user with the same refresh token: only a confused server does that.
    slow.resolve(Response.json({ ...sessionReply('eve', 2), user: userOf('eve') }));
    await expect(verification).resolves.toMatchObject({ user: { id: 'ada' } });
    expect(await stored()).toMatchObject({ user: { id: 'ada' } });
  });
});

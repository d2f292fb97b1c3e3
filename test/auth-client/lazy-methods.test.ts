import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as LaterCallsModule from '../../src/auth-client/calls/lazy-methods.ts';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import type { AuthClient } from '../../src/auth-client/index.ts';
import { createHarness } from './support/harness.ts';
import { deferred, sessionReply, userOf } from '../support/wire/replies.ts';

const isGone = vi.hoisted(() => ({ value: false }));
/** Delays the load of the methods, like slow code. */
const loading = vi.hoisted(() => ({ until: Promise.resolve() }));
vi.mock('../../src/auth-client/calls/lazy-methods.ts', async (original) => {
  const module = await original<typeof LaterCallsModule>();
  return {
    get createLazyMethods() {
      if (isGone.value) throw new TypeError('Failed to fetch dynamically imported module');
      const { createLazyMethods } = module;
      return (...args: Parameters<typeof createLazyMethods>) => {
        type Method = (...rest: readonly unknown[]) => Promise<unknown>;
        const methods = Object.entries(createLazyMethods(...args)) as [string, Method][];
        return Object.fromEntries(
          methods.map(([name, method]) => {
            const { until } = loading;
            return [name, (...rest: readonly unknown[]) => until.then(() => method(...rest))];
          }),
        );
      };
    },
  };
});

beforeEach(() => void (isGone.value = true));
afterEach(() => void (isGone.value = false));

const credentials = { email: 'ada@example.com', password: 'correct horse' };

describe('after a deployment that removed lazily loaded code', () => {
  it('a signed-in tab still refreshes, restores and signs out', async () => {
    isGone.value = false;
    const { signedIn, open, server, world, stored } = createHarness();
    const { client } = await signedIn();
    isGone.value = true;
    world.clock.sleep(2 * 3600_000);
    server.next(Response.json(sessionReply('ada', 2)));
    expect(await client.getAccessToken()).toBe(sessionReply('ada', 2).access_token);
    const restored = open();
    expect((await restored.client.start()).status).toBe('signed-in');
    server.next(new Response(null, { status: 204 }));
    await client.signOut();
    expect(client.getSnapshot().status).toBe('signed-out');
    expect(await stored()).toBeNull();
  });

  it('a call whose code cannot be loaded fails with `network` and its cause, and can be retried', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    await client.start();
    await expect(client.signInWithPassword(credentials)).rejects.toMatchObject({
      name: 'AuthError',
      code: 'network',
      cause: expect.objectContaining({ message: 'Failed to fetch dynamically imported module' }),
    });
    expect(server.sent).toEqual([]);
    isGone.value = false;
    server.next(Response.json(sessionReply('ada', 1)));
    await expect(client.signInWithPassword(credentials)).resolves.toMatchObject({ user: { id: 'ada' } });
  });

  it('a callback whose code cannot be loaded is reported and stays in the URL', async () => {
    const { open } = createHarness();
    const { client, href } = open({
      href: 'http://app.test/home?code=abc',
      callbackPaths: ['/home'],
    });
    const { status, callbackError } = await client.start();
    expect({ status, code: callbackError?.code }).toEqual({ status: 'signed-out', code: 'network' });
    expect(href()).toContain('code=abc');
  });

  it('preloading never rejects', async () => {
    const { open } = createHarness();
    await expect(open().client.preload()).resolves.toBeUndefined();
  });
});

describe('a call that waits for its code', () => {
  beforeEach(() => void (isGone.value = false));

  it.each<[string, (client: AuthClient) => Promise<unknown>]>([
    ['updateUser', (client) => client.updateUser({ password: 'a new one of ada' })],
    ['reauthenticate', (client) => client.reauthenticate()],
    ['getUser', (client) => client.getUser()],
  ])('%s is not sent as the user who signs in meanwhile', async (_name, call) => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    const loaded = deferred<void>();
    loading.until = loaded.promise;
    const outcome = call(client).catch(({ code }: { readonly code: string }) => code);
    await world.settle();
    loading.until = Promise.resolve();
    server.next(Response.json(sessionReply('bob', 1)));
    await client.signInWithPassword(credentials);
    const sent = server.lines.length;
    server.next(Response.json(userOf('bob')));
    loaded.resolve();
    expect(await outcome).toBe('user-changed');
    expect(server.lines.slice(sent)).toEqual([]);
  });

  it.each<[string, (client: AuthClient) => Promise<unknown>]>([
    ['getUser', (client) => client.getUser({ accessToken: '' })],
    ['an assurance level', (client) => createMfa(client).getAuthenticatorAssuranceLevel({ accessToken: '' })],
  ])('%s with an empty token does not use the session', async (_name, call) => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    server.next(Response.json({ code: 'no_authorization', message: 'No token' }, { status: 401 }));
    await expect(call(client)).rejects.toMatchObject({ code: 'no_authorization' });
    expect(server.sent.at(-1)?.headers.get('authorization')).toBeNull();
  });

  it('getClaims with an empty token does not verify the token of the session', async () => {
    const { client } = await createHarness().signedIn();
    expect(await createClaims(client).getClaims({ accessToken: '' })).toBeNull();
  });
});

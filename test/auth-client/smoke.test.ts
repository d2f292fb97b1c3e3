import { expect, it } from 'vitest';
import { createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

it('signs in, refreshes when due and signs out', async () => {
  const world = createFakeWorld();
  const sent: string[] = [];
  let n = 0;
  const tab = world.openTab({
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`);
      n += 1;
      return Response.json({
        access_token: `t${n}`,
        refresh_token: `r${n}`,
        expires_in: 3600,
        user: { id: 'u' },
      });
    },
  });
  const client = createAuthClient({
    url: 'http://x.test',
    apiKey: 'k',
    platform: tab,
    store: createMemoryStore(),
  });
  const events: string[] = [];
  client.onEvent((event) => events.push(event.name));
  await client.start();
  await client.signInWithPassword({ email: 'a@b.c', password: 'secret' });
  expect(await client.getAccessToken()).toBe('t1');
  await world.clock.advance(3_510_000);
  expect(await client.getAccessToken()).toBe('t2');
  await client.signOut();
  await world.settle();
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'TOKEN_REFRESHED', 'SIGNED_OUT']);
  expect(sent).toEqual([
    'POST /auth/v1/token?grant_type=password',
    'POST /auth/v1/token?grant_type=refresh_token',
    'POST /auth/v1/logout?scope=global',
  ]);
});

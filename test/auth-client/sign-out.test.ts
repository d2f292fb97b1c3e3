import { expect, it } from 'vitest';
import { createHarness } from './support/harness.ts';
import { deferred, refusal, sessionReply } from './support/scripted-server.ts';

const NO_CONTENT = () => new Response(null, { status: 204 });

it.each(['global', 'local', 'others'] as const)(
  'sign-out %s: the scope in the query, the token in the header',
  async (scope) => {
    const { signedIn, server, stored, world } = createHarness();
    const { client, events } = await signedIn();
    server.next(NO_CONTENT());
    await client.signOut({ scope });
    await world.settle();
    expect(server.lines[1]).toBe(`POST /logout?scope=${scope}`);
    expect(server.sent[1]?.headers.get('authorization')).toBe(
      `Bearer ${sessionReply('ada', 1).access_token}`,
    );
    expect((await stored()) === null).toBe(scope !== 'others');
    expect(events).toEqual(scope === 'others' ? [] : ['SIGNED_OUT']);
  },
);

it('clears locally before the server has answered', async () => {
  const { signedIn, server, stored, world } = createHarness();
  const { client } = await signedIn();
  const reply = deferred<Response>();
  server.next(() => reply.promise);
  const done = client.signOut();
  await world.settle();
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(await stored()).toBeNull();
  expect(await client.getAccessToken()).toBeNull();
  reply.resolve(NO_CONTENT());
  await done;
});

it.each([401, 403, 404])('specification §8: a reply %i to a sign-out is ignored', async (status) => {
  const { signedIn, server } = createHarness();
  const { client } = await signedIn();
  server.next(refusal(status, 'session_not_found'));
  await client.signOut();
  expect(client.getSnapshot().status).toBe('signed-out');
});

it.each([
  ['500', () => refusal(500, 'unexpected_failure'), 'unexpected_failure'],
  ['offline', () => Promise.reject<Response>(new TypeError('Failed to fetch')), 'network'],
])(
  '%s: the session is gone here all the same, and the caller learns that the server was not told',
  async (_n, answer, code) => {
    const { signedIn, server, stored } = createHarness();
    const { client } = await signedIn();
    server.next(answer);
    await expect(client.signOut()).rejects.toMatchObject({ code });
    expect(client.getSnapshot().status).toBe('signed-out');
    expect(await stored()).toBeNull();
  },
);

it('an expired token offline: signed out at once, without a refresh', async () => {
  const { signedIn, server, world } = createHarness();
  const { client, tab } = await signedIn();
  tab.setOnline(false);
  world.clock.sleep(2 * 3600_000);
  server.next(() => Promise.reject<Response>(new TypeError('Failed to fetch')));
  await client.signOut({ scope: 'local' }).catch(() => undefined);
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(server.lines.slice(1)).toEqual(['POST /logout?scope=local']);
});

it('others with an expired token: a valid one is fetched for it', async () => {
  const { signedIn, server, world, stored } = createHarness();
  const { client } = await signedIn();
  world.clock.sleep(2 * 3600_000);
  server.next(Response.json(sessionReply('ada', 2)), NO_CONTENT());
  await client.signOut({ scope: 'others' });
  expect(server.lines.slice(1)).toEqual([
    'POST /token?grant_type=refresh_token',
    'POST /logout?scope=others',
  ]);
  expect(server.sent[2]?.headers.get('authorization')).toBe(`Bearer ${sessionReply('ada', 2).access_token}`);
  expect(await stored()).not.toBeNull();
});

it('others with an expired token that cannot be renewed: the caller learns it, the session stays', async () => {
  const { signedIn, server, world, stored } = createHarness();
  const { client } = await signedIn();
  world.clock.sleep(2 * 3600_000);
  server.next(refusal(429, 'over_request_rate_limit'));
  await expect(client.signOut({ scope: 'others' })).rejects.toMatchObject({
    code: 'over_request_rate_limit',
  });
  expect(server.lines.slice(1)).toEqual(['POST /token?grant_type=refresh_token']);
  expect(await stored()).not.toBeNull();
});

it('sign-out during a refresh: the reply does not resurrect the session, in memory or in storage', async () => {
  const { signedIn, server, stored, world } = createHarness();
  const { client, events } = await signedIn();
  world.clock.sleep(2 * 3600_000);
  const reply = deferred<Response>();
  server.next(() => reply.promise, NO_CONTENT());
  const waiting = client.getAccessToken();
  await world.settle();
  await client.signOut();
  reply.resolve(Response.json(sessionReply('ada', 2)));
  expect(await waiting).toBeNull();
  await world.settle();
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(await stored()).toBeNull();
  expect(events).toEqual(['SIGNED_OUT']);
});

it('sign-out in another tab during this tab’s refresh stands', async () => {
  const { signedIn, open, server, stored, world } = createHarness();
  const here = await signedIn();
  const other = open();
  await other.client.start();
  world.clock.sleep(2 * 3600_000);
  const reply = deferred<Response>();
  server.next(() => reply.promise, NO_CONTENT());
  const waiting = here.client.getAccessToken();
  await world.settle();
  await other.client.signOut();
  reply.resolve(Response.json(sessionReply('ada', 2)));
  expect(await waiting).toBeNull();
  await world.settle();
  expect(await stored()).toBeNull();
  expect(here.client.getSnapshot().status).toBe('signed-out');
  expect(here.events).toEqual(['SIGNED_OUT']);
});

it('without a session nothing is sent', async () => {
  const { open, server } = createHarness();
  const { client } = open();
  await client.signOut();
  expect(server.lines).toEqual([]);
});

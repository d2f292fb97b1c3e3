import { expect, it } from 'vitest';
import { createHarness } from './support/harness.ts';
import { deferred, refusal, sessionReply } from '../support/wire/replies.ts';

const NO_CONTENT = () => new Response(null, { status: 204 });

it.each(['global', 'local', 'others'] as const)(
  'sign-out %s sends the scope in the query and the token in the header',
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

it('clears the session before the response arrives', async () => {
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

it.each([401, 403, 404])('status %i of a sign-out is ignored', async (status) => {
  const { signedIn, server } = createHarness();
  const { client } = await signedIn();
  server.next(refusal(status, 'session_not_found'));
  expect(await client.signOut()).toEqual({ revoked: true });
  expect(client.getSnapshot().status).toBe('signed-out');
});

it.each([
  ['500', () => refusal(500, 'unexpected_failure'), 'unexpected_failure'],
  ['offline', () => Promise.reject<Response>(new TypeError('Failed to fetch')), 'network'],
])(
  '%s removes the session here and reports that the server did not revoke it',
  async (_n, response, code) => {
    const { signedIn, server, stored } = createHarness();
    const { client } = await signedIn();
    server.next(response);
    expect(await client.signOut()).toMatchObject({ revoked: false, cause: { name: 'AuthError', code } });
    expect(client.getSnapshot().status).toBe('signed-out');
    expect(await stored()).toBeNull();
  },
);

it.each(['global', 'local'] as const)(
  'sign-out %s refreshes an expired token first, so that the server ends the sessions',
  async (scope) => {
    const { signedIn, server, world, stored } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(Response.json(sessionReply('ada', 2)), NO_CONTENT());
    expect(await client.signOut({ scope })).toEqual({ revoked: true });
    expect(server.lines.slice(1)).toEqual([
      'POST /token?grant_type=refresh_token',
      `POST /logout?scope=${scope}`,
    ]);
    expect(server.sent[2]?.headers.get('authorization')).toBe(
      `Bearer ${sessionReply('ada', 2).access_token}`,
    );
    expect(await stored()).toBeNull();
    expect(client.getSnapshot().status).toBe('signed-out');
  },
);

it('refreshes and repeats when only the server considers the token expired', async () => {
  const { signedIn, server } = createHarness();
  const { client } = await signedIn();
  server.next(refusal(403, 'bad_jwt'), Response.json(sessionReply('ada', 2)), NO_CONTENT());
  expect(await client.signOut()).toEqual({ revoked: true });
  expect(server.lines.slice(1)).toEqual([
    'POST /logout?scope=global',
    'POST /token?grant_type=refresh_token',
    'POST /logout?scope=global',
  ]);
});

it('signs out locally with an expired token offline, and returns revoked: false', async () => {
  const { signedIn, server, world, stored } = createHarness();
  const { client, tab } = await signedIn();
  tab.setOnline(false);
  world.clock.sleep(2 * 3600_000);
  server.next(() => Promise.reject<Response>(new TypeError('Failed to fetch')));
  expect(await client.signOut({ scope: 'local' })).toMatchObject({
    revoked: false,
    cause: { code: 'network' },
  });
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(await stored()).toBeNull();
  expect(server.lines.slice(1)).toEqual(['POST /token?grant_type=refresh_token']);
});

it.each([
  ['local', { revoked: true }],
  ['global', { revoked: false, cause: { code: 'session_not_found' } }],
] as const)(
  'signs out with an expired token of a session that the server has ended, scope %s',
  async (scope, result) => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    world.clock.sleep(2 * 3600_000);
    server.next(refusal(400, 'session_not_found'));
    expect(await client.signOut({ scope })).toMatchObject(result);
    expect(client.getSnapshot().status).toBe('signed-out');
  },
);

it('sends a request that outlives the page', async () => {
  const { signedIn, server } = createHarness();
  const { client } = await signedIn();
  server.next(NO_CONTENT());
  await client.signOut();
  expect(server.requests[1]?.keepalive).toBe(true);
});

it('sends no body: a keepalive request with a body fails on some servers', async () => {
  const { signedIn, server } = createHarness();
  const { client } = await signedIn();
  server.next(NO_CONTENT());
  await client.signOut();
  expect(server.sent[1]?.body).toBeNull();
  expect(server.sent[1]?.headers.get('content-type')).toBeNull();
});

it('sign-out of the others refreshes an expired token first', async () => {
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

it('sign-out of the others throws and keeps the session if its token cannot be refreshed', async () => {
  const { signedIn, server, world, stored } = createHarness();
  const { client } = await signedIn();
  world.clock.sleep(2 * 3600_000);
  server.next(refusal(429, 'over_request_rate_limit'));
  expect(await client.signOut({ scope: 'others' })).toMatchObject({
    revoked: false,
    cause: { code: 'over_request_rate_limit' },
  });
  expect(server.lines.slice(1)).toEqual(['POST /token?grant_type=refresh_token']);
  expect(await stored()).not.toBeNull();
});

it('a sign-out during a refresh is not undone by its response, in memory or in storage', async () => {
  const { signedIn, server, stored, world } = createHarness();
  const { client, events } = await signedIn();
  world.clock.sleep(2 * 3600_000);
  const reply = deferred<Response>();
  server.next(() => reply.promise, Response.json(sessionReply('ada', 2)), NO_CONTENT());
  const waiting = client.getAccessToken();
  await world.settle();
  const signedOut = client.signOut();
  await world.settle();
  reply.resolve(Response.json(sessionReply('ada', 2)));
  expect(await waiting).toBeNull();
  expect(await signedOut).toEqual({ revoked: true });
  await world.settle();
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(await stored()).toBeNull();
  expect(events).toEqual(['SIGNED_OUT']);
});

it('a sign-out in another tab is not undone by a refresh of this tab', async () => {
  const { signedIn, open, server, stored, world } = createHarness();
  const here = await signedIn();
  const other = open();
  await other.client.start();
  world.clock.sleep(2 * 3600_000);
  const reply = deferred<Response>();
  server.next(() => reply.promise, Response.json(sessionReply('ada', 2)), NO_CONTENT());
  const waiting = here.client.getAccessToken();
  await world.settle();
  const signedOut = other.client.signOut();
  await world.settle();
  reply.resolve(Response.json(sessionReply('ada', 2)));
  expect(await waiting).toBeNull();
  await signedOut;
  await world.settle();
  expect(await stored()).toBeNull();
  expect(here.client.getSnapshot().status).toBe('signed-out');
  expect(here.events).toEqual(['SIGNED_OUT']);
});

it('sends nothing without a session', async () => {
  const { open, server } = createHarness();
  const { client } = open();
  await client.signOut();
  expect(server.lines).toEqual([]);
});

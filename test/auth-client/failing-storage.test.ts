import { describe, expect, it } from 'vitest';
import { type AuthStore, createMemoryStore } from '../../src/auth-client/index.ts';
import { STORAGE_KEY, createHarness } from './support/harness.ts';
import { sessionReply } from '../support/wire/replies.ts';

type Failure = 'throws' | 'never settles';

/** A store whose reads, writes or both fail on command. */
function createUnreliableStore() {
  const memory = createMemoryStore();
  const failing: { reads: Failure | null; writes: Failure | null } = { reads: null, writes: null };
  const fail = <T>(failure: Failure | null, operation: () => T): T | Promise<T> => {
    if (failure === 'throws') throw new DOMException('The database is closing', 'InvalidStateError');
    return failure === 'never settles' ? new Promise<T>(() => {}) : operation();
  };
  const store: AuthStore = {
    get: (key) => fail(failing.reads, () => memory.get(key)),
    set: (key, value) => fail(failing.writes, () => memory.set(key, value)),
    remove: (key) => fail(failing.writes, () => memory.remove(key)),
  };
  return { store, memory, failing };
}

function createFailingHarness() {
  const { store, memory, failing } = createUnreliableStore();
  const harness = createHarness(store);
  const refreshTokenInStore = () =>
    (JSON.parse(memory.get(STORAGE_KEY) ?? 'null') as { refresh_token: string } | null)?.refresh_token ??
    null;
  return { ...harness, memory, failing, refreshTokenInStore };
}

describe.each<Failure>(['throws', 'never settles'])('a read that %s', (failure) => {
  it('changes nothing while signed in, and the problem clears when storage works again', async () => {
    const { signedIn, failing, world } = createFailingHarness();
    const { client, tab, events } = await signedIn();
    failing.reads = failure;
    tab.setVisible(true);
    await world.clock.advance(10_000);
    expect(client.getSnapshot()).toMatchObject({
      status: 'signed-in',
      storageProblem: { code: 'storage-unavailable' },
    });
    expect(events).toEqual([]);
    failing.reads = null;
    await world.clock.advance(31_000);
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', storageProblem: null });
    client.close();
  });

  it('keeps a renewed token and stores it when storage works again', async () => {
    const { signedIn, failing, server, world, refreshTokenInStore } = createFailingHarness();
    const { client, events } = await signedIn();
    failing.reads = failure;
    server.next(Response.json(sessionReply('ada', 2)));
    const renewed = client.refreshSession();
    await world.clock.advance(10_000);
    expect((await renewed).accessToken).toBe(sessionReply('ada', 2).access_token);
    expect(events).toEqual(['TOKEN_REFRESHED']);
    failing.reads = null;
    await world.clock.advance(31_000);
    expect(refreshTokenInStore()).toBe('refresh-ada-2');
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', storageProblem: null });
    client.close();
  });

  it('is repeated at the start, so that the stored session is restored', async () => {
    const harness = createFailingHarness();
    (await harness.signedIn()).client.close();
    harness.failing.reads = failure;
    const { client, events } = harness.open();
    const started = client.start();
    await harness.world.clock.advance(500);
    expect(client.getSnapshot().status).toBe('loading');
    harness.failing.reads = null;
    await harness.world.clock.advance(5_000);
    expect(await started).toMatchObject({ status: 'signed-in', user: { id: 'ada' }, storageProblem: null });
    expect(events).toEqual(['INITIAL_SESSION']);
    client.close();
  });

  it('continues without a session while it fails, and signs in when storage works again', async () => {
    const harness = createFailingHarness();
    (await harness.signedIn()).client.close();
    harness.failing.reads = failure;
    const { client, reasons } = harness.open();
    const started = client.start();
    await harness.world.clock.advance(10_000);
    expect(await started).toMatchObject({
      status: 'signed-out',
      storageProblem: { code: 'storage-unavailable' },
    });
    harness.failing.reads = null;
    await harness.world.clock.advance(31_000);
    expect(client.getSnapshot()).toMatchObject({ status: 'signed-in', storageProblem: null });
    expect(reasons).toEqual(['INITIAL_SESSION/start', 'SIGNED_IN/storage']);
    client.close();
  });
});

it('another user’s session, stored while reads fail, is adopted and not overwritten', async () => {
  const { signedIn, failing, server, world, memory, refreshTokenInStore } = createFailingHarness();
  const { client } = await signedIn();
  failing.reads = 'throws';
  server.next(Response.json(sessionReply('ada', 2)));
  await client.refreshSession();
  memory.set(STORAGE_KEY, JSON.stringify(sessionReply('bob', 1)));
  failing.reads = null;
  await world.clock.advance(31_000);
  expect(client.getSnapshot().user?.id).toBe('bob');
  expect(refreshTokenInStore()).toBe('refresh-bob-1');
  client.close();
});

it('a sign-out while writes fail removes the stored session when storage works again', async () => {
  const { signedIn, failing, server, world, refreshTokenInStore } = createFailingHarness();
  const { client } = await signedIn();
  failing.writes = 'throws';
  server.next(new Response(null, { status: 204 }));
  await client.signOut();
  expect(client.getSnapshot().status).toBe('signed-out');
  expect(refreshTokenInStore()).toBe('refresh-ada-1');
  failing.writes = null;
  await world.clock.advance(31_000);
  expect(refreshTokenInStore()).toBeNull();
  expect(client.getSnapshot()).toMatchObject({ status: 'signed-out', storageProblem: null });
  client.close();
});

it('reports one problem for each time that storage fails, and leaves no timer after close', async () => {
  const { signedIn, failing, world } = createFailingHarness();
  const { client, tab } = await signedIn();
  const timers = world.clock.pendingTimers;
  for (const failure of ['throws', 'never settles'] as const) {
    failing.reads = failure;
    tab.setVisible(true);
    await world.clock.advance(100_000);
    failing.reads = null;
    await world.clock.advance(31_000);
  }
  expect(tab.reported).toHaveLength(2);
  failing.reads = 'throws';
  tab.setVisible(true);
  await world.settle();
  client.close();
  expect(world.clock.pendingTimers).toBeLessThan(timers + 1);
});

it('storage that fails is not checked by a timer when the client refreshes on demand only', async () => {
  const { open, failing, world } = createFailingHarness();
  failing.reads = 'throws';
  const { client } = open({ autoRefresh: false });
  const started = client.start();
  await world.clock.advance(100_000);
  await started;
  expect(client.getSnapshot().storageProblem).not.toBeNull();
  expect(world.clock.pendingTimers).toBe(0);
  client.close();
});

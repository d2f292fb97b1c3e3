import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { createStore, keys } from 'idb-keyval';
import { beforeEach, describe, expect, test } from 'vitest';
import { createQueryClient } from '../../src/app/data/query-client.ts';
import { forgetKeptData } from '../../src/app/data/forget-kept-data.ts';
import { createQueryPersistence } from '../../src/app/data/query-persistence.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import type { FakeWorld } from '../support/fake-platform.ts';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

/** A page of a user, with the cache that it keeps. */
async function openPage(world: FakeWorld, userId = 'ada', sessionId = `session of ${userId}`) {
  const { clock, page, report, reported, setVisible } = world.openTab();
  const queryClient = createQueryClient();
  const persistence = createQueryPersistence({
    queryClient,
    userId,
    sessionId,
    clock,
    page,
    report,
    shouldKeep: ({ queryKey }) => queryKey[0] !== 'secret',
  });
  await persistence.start();
  return { queryClient, persistence, reported, setVisible };
}
/** IndexedDB answers by timers of its own, which the fake clock does not move. */
const written = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the data cache on this device', () => {
  test('has the numbers of the specification', () => {
    expect(createQueryClient().getDefaultOptions().queries).toMatchObject({
      staleTime: 5 * 60_000,
      gcTime: 30 * 60_000,
      retry: 1,
      refetchOnWindowFocus: false,
    });
  });

  test('is there after a reload, for its own user alone', async () => {
    const world = createFakeWorld();
    const { queryClient } = await openPage(world);
    queryClient.setQueryData(['list'], new Map([['a', 1]]));
    await world.clock.advance(1_000);
    await written();
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toEqual(new Map([['a', 1]]));
    expect((await openPage(world, 'grace')).queryClient.getQueryData(['list'])).toBeUndefined();
    expect(
      (await openPage(world)).queryClient.getQueryData(['list']),
      'deleted, not ignored',
    ).toBeUndefined();
  });

  test('belongs to one session: the next one deletes it', async () => {
    const world = createFakeWorld();
    const { queryClient, persistence } = await openPage(world);
    queryClient.setQueryData(['list'], 1);
    await world.clock.advance(1_000);
    await written();
    persistence.close();
    expect(
      (await openPage(world, 'ada', 'another session')).queryClient.getQueryData(['list']),
    ).toBeUndefined();
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toBeUndefined();
  });

  test('is written at once when the page is left, and once for a burst', async () => {
    const world = createFakeWorld();
    const { queryClient, setVisible } = await openPage(world);
    for (let number = 0; number < 50; number += 1) queryClient.setQueryData(['list'], number);
    expect(world.clock.pendingTimers).toBeLessThanOrEqual(1);
    setVisible(false);
    await written();
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toBe(49);
  });

  test('is discarded after thirty minutes', async () => {
    const world = createFakeWorld();
    const { queryClient, persistence } = await openPage(world);
    queryClient.setQueryData(['list'], 1);
    await world.clock.advance(1_000);
    await written();
    persistence.close();
    world.clock.sleep(29 * 60_000);
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toBe(1);
    world.clock.sleep(60_000);
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toBeUndefined();
    expect(await keys(createStore('inbox-cache', 'users')), 'deleted, not ignored').toEqual([]);
  });

  test('leaves out what is not to be kept', async () => {
    const world = createFakeWorld();
    const { queryClient } = await openPage(world);
    queryClient.setQueryData(['secret'], 1);
    await world.clock.advance(1_000);
    await written();
    expect((await openPage(world)).queryClient.getQueryData(['secret'])).toBeUndefined();
  });

  test('is wiped for every user, and nothing is written afterwards', async () => {
    const world = createFakeWorld();
    const ada = await openPage(world);
    const grace = await openPage(world, 'grace');
    ada.queryClient.setQueryData(['list'], 1);
    grace.queryClient.setQueryData(['list'], 2);
    await world.clock.advance(1_000);
    await written();
    await ada.persistence.wipe();
    ada.queryClient.setQueryData(['list'], 3);
    await world.clock.advance(10_000);
    await written();
    for (const user of ['ada', 'grace'])
      expect((await openPage(world, user)).queryClient.getQueryData(['list'])).toBeUndefined();
  });

  test('can be forgotten without being opened', async () => {
    const world = createFakeWorld();
    const { queryClient } = await openPage(world);
    queryClient.setQueryData(['list'], 1);
    await world.clock.advance(1_000);
    await written();
    await forgetKeptData();
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toBeUndefined();
  });

  test('begins empty where storage is blocked, and says so', async () => {
    globalThis.indexedDB = {
      open() {
        throw new DOMException('Blocked', 'SecurityError');
      },
    } as unknown as IDBFactory;
    const world = createFakeWorld();
    const { queryClient, reported } = await openPage(world);
    queryClient.setQueryData(['list'], 1);
    await world.clock.advance(1_000);
    await written();
    expect(queryClient.getQueryData(['list'])).toBe(1);
    expect(reported.length).toBeGreaterThan(0);
  });

  test('lives in memory where the browser has no such storage', async () => {
    Reflect.deleteProperty(globalThis, 'indexedDB');
    const { queryClient, reported } = await openPage(createFakeWorld());
    queryClient.setQueryData(['list'], 1);
    expect(queryClient.getQueryData(['list'])).toBe(1);
    expect(reported.length).toBeGreaterThan(0);
  });

  test('does not block another page from deleting the database, and works afterwards', async () => {
    const world = createFakeWorld();
    const { queryClient } = await openPage(world);
    queryClient.setQueryData(['list'], 1);
    await world.clock.advance(1_000);
    await written();
    const [{ name = '' } = {}] = await indexedDB.databases();
    const outcome = await new Promise((resolve) => {
      const request = indexedDB.deleteDatabase(name);
      request.addEventListener('success', () => resolve('deleted'));
      request.addEventListener('blocked', () => resolve('blocked'));
    });
    expect(outcome).toBe('deleted');
    queryClient.setQueryData(['list'], 2);
    await world.clock.advance(1_000);
    await written();
    expect((await openPage(world)).queryClient.getQueryData(['list'])).toBe(2);
  });
});

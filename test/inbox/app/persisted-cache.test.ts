import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import { deletePersistedData } from '../../../src/inbox/app/data/delete-persisted-data.ts';
import { openPersistedCache } from '../../../src/inbox/app/data/persisted-cache.ts';
import { discardAfterMs, isDiscarded, staleAfterMs } from '../../../src/inbox/shared/cached.ts';
import { createFakeWorld, type FakeWorld } from '../../support/fake-platform.ts';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

async function openPage(world: FakeWorld, userId = 'ada', sessionId = `session of ${userId}`) {
  const { clock, page, report, reported, setVisible } = world.openTab();
  const cache = await openPersistedCache({ userId, sessionId, clock, page, report });
  return {
    cache,
    reported,
    setVisible,
    get: () => cache.get('list')?.value,
    set(value: unknown) {
      const readAtMs = clock.now();
      cache.set('list', () => ({ value, readAtMs }));
    },
  };
}
/** fake-indexeddb takes a turn of the event loop per request, regardless of the fake clock; a write takes a few. */
async function written(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('the data cache on this device is stale after 5 minutes and discarded after 30', () => {
  expect({ staleAfterMs, discardAfterMs }).toEqual({
    staleAfterMs: 5 * 60_000,
    discardAfterMs: 30 * 60_000,
  });
});

test('the data cache on this device survives a reload for the same user only', async () => {
  const world = createFakeWorld();
  const { set } = await openPage(world);
  set(new Map([['a', 1]]));
  await world.clock.advance(1_000);
  await written();
  expect((await openPage(world)).get()).toEqual(new Map([['a', 1]]));
  expect((await openPage(world, 'grace')).get()).toBeUndefined();
  expect((await openPage(world)).get(), 'deleted, not ignored').toBeUndefined();
});

test('the data cache on this device belongs to one session: the next one deletes it', async () => {
  const world = createFakeWorld();
  const { set, cache } = await openPage(world);
  set(1);
  await world.clock.advance(1_000);
  await written();
  cache.close();
  expect((await openPage(world, 'ada', 'another session')).get()).toBeUndefined();
  expect((await openPage(world)).get()).toBeUndefined();
});

test('the data cache on this device is written at once when the page is left, and once for a burst', async () => {
  const world = createFakeWorld();
  const { set, setVisible } = await openPage(world);
  for (let number = 0; number < 50; number += 1) set(number);
  expect(world.clock.pendingTimers).toBeLessThanOrEqual(1);
  setVisible(false);
  await written();
  expect((await openPage(world)).get()).toBe(49);
});

test('the data cache on this device is kept while offline, with its age', async () => {
  const world = createFakeWorld();
  const { set, cache } = await openPage(world);
  set(1);
  const readAtMs = world.clock.now();
  await world.clock.advance(1_000);
  await written();
  cache.close();
  world.clock.sleep(5 * 86_400_000);
  const later = (await openPage(world)).cache.get('list');
  expect(later).toEqual({ value: 1, readAtMs });
  expect(later && isDiscarded(later, world.clock.now()), 'online it is not shown').toBe(true);
});

test('the data cache on this device is deleted for every user, and not written afterwards', async () => {
  const world = createFakeWorld();
  const ada = await openPage(world);
  const grace = await openPage(world, 'grace');
  ada.set(1);
  grace.set(2);
  await world.clock.advance(1_000);
  await written();
  await ada.cache.wipe();
  ada.set(3);
  await world.clock.advance(10_000);
  await written();
  for (const user of ['ada', 'grace']) expect((await openPage(world, user)).get()).toBeUndefined();
});

test('the data cache on this device can be deleted without being opened', async () => {
  const world = createFakeWorld();
  const { set } = await openPage(world);
  set(1);
  await world.clock.advance(1_000);
  await written();
  await deletePersistedData();
  expect((await openPage(world)).get()).toBeUndefined();
});

test('the data cache on this device starts empty and reports when storage is blocked', async () => {
  globalThis.indexedDB = {
    open() {
      throw new DOMException('Blocked', 'SecurityError');
    },
  } as unknown as IDBFactory;
  const world = createFakeWorld();
  const { get, set, reported } = await openPage(world);
  set(1);
  await world.clock.advance(1_000);
  await written();
  expect(get()).toBe(1);
  expect(reported.length).toBeGreaterThan(0);
});

test('the data cache on this device uses memory where the browser has no such storage', async () => {
  Reflect.deleteProperty(globalThis, 'indexedDB');
  const { get, set, reported } = await openPage(createFakeWorld());
  set(1);
  expect(get()).toBe(1);
  expect(reported.length).toBeGreaterThan(0);
});

test('the data cache on this device does not block another page from deleting the database, and works afterwards', async () => {
  const world = createFakeWorld();
  const { set } = await openPage(world);
  set(1);
  await world.clock.advance(1_000);
  await written();
  const [{ name = '' } = {}] = await indexedDB.databases();
  const outcome = await new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve('deleted'));
    request.addEventListener('blocked', () => resolve('blocked'));
  });
  expect(outcome).toBe('deleted');
  set(2);
  await world.clock.advance(1_000);
  await written();
  expect((await openPage(world)).get()).toBe(2);
});

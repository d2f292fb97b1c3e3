import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import { databaseNames } from '../../../../src/inbox/shared/open-store.ts';
import { createOutboxStorage, keptMs } from '../../../../src/inbox/shared/outbox/outbox-storage.ts';
import type { PendingAction } from '../../../../src/inbox/shared/outbox/outbox-state.ts';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  nowMs = 0;
  dropped.length = 0;
});

let nowMs = 0;
const dropped: number[] = [];
const openStorage = (userId: string) =>
  createOutboxStorage({ userId, now: () => nowMs, onDropped: (count) => dropped.push(count) });

const action = (id: string, userId = 'ada'): PendingAction => ({
  id,
  userId,
  topic: 'rows',
  payload: { status: 'read' },
  keys: ['a'],
  addedAtMs: 0,
  order: 1,
  senderId: 'tab',
  isUndoable: true,
});
const idsOf = async (storage: ReturnType<typeof createOutboxStorage>) =>
  (await storage.list()).map(({ id }) => id).toSorted();

test('keeps actions over visits until they are removed', async () => {
  const storage = openStorage('ada');
  await Promise.all(['one', 'two', 'three'].map((id) => storage.put(action(id))));
  await storage.put({ ...action('two'), senderId: 'another tab' });
  const later = openStorage('ada');
  expect(await idsOf(later)).toEqual(['one', 'three', 'two']);
  await later.remove(['one', 'three']);
  expect(await storage.list()).toEqual([{ ...action('two'), senderId: 'another tab' }]);
  await storage.remove(['two']);
  expect(await later.list()).toEqual([]);
});

test('removes an action whose write has not ended yet', async () => {
  const storage = openStorage('ada');
  await Promise.all([storage.put(action('one')), storage.remove(['one'])]);
  expect(await storage.list()).toEqual([]);
});

test('deletes the actions of another user, and says how many', async () => {
  await openStorage('ada').put(action('one'));
  await openStorage('ada').put(action('two'));
  expect(await openStorage('grace').list()).toEqual([]);
  expect(dropped).toEqual([2]);
  expect(await openStorage('ada').list()).toEqual([]);
});

test('keeps actions for 14 days, then deletes them and says so', async () => {
  await openStorage('ada').put(action('one'));
  nowMs = keptMs - 1;
  expect(await idsOf(openStorage('ada'))).toEqual(['one']);
  nowMs = keptMs;
  expect(await idsOf(openStorage('ada'))).toEqual([]);
  expect([keptMs, dropped]).toEqual([14 * 86_400_000, [1]]);
});

test('opens again after a failure, and after its database was deleted', async () => {
  const storage = openStorage('ada');
  const { open } = indexedDB;
  indexedDB.open = () => {
    throw new DOMException('Not allowed', 'SecurityError');
  };
  await expect(storage.put(action('one'))).rejects.toThrow('Not allowed');
  indexedDB.open = open;
  await storage.put(action('one'));
  await new Promise((resolve) => {
    indexedDB.deleteDatabase(databaseNames.outbox).onsuccess = resolve;
  });
  expect(await storage.list()).toEqual([]);
  await storage.put(action('two'));
  expect(await idsOf(storage)).toEqual(['two']);
});

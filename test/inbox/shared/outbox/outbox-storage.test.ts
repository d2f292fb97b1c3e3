import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import { databaseNames } from '../../../../src/inbox/shared/open-store.ts';
import { createOutboxStorage } from '../../../../src/inbox/shared/outbox/outbox-storage.ts';
import type { PendingAction } from '../../../../src/inbox/shared/outbox/outbox-state.ts';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

const action = (id: string, userId = 'ada'): PendingAction => ({
  id,
  userId,
  topic: 'rows',
  payload: { status: 'read' },
  keys: ['a'],
  order: 1,
  senderId: 'tab',
  isUndoable: true,
});
const idsOf = async (storage: ReturnType<typeof createOutboxStorage>) =>
  (await storage.list()).map(({ id }) => id).toSorted();

test('keeps actions over visits until they are removed', async () => {
  const storage = createOutboxStorage('ada');
  await Promise.all(['one', 'two', 'three'].map((id) => storage.put(action(id))));
  await storage.put({ ...action('two'), senderId: 'another tab' });
  const later = createOutboxStorage('ada');
  expect(await idsOf(later)).toEqual(['one', 'three', 'two']);
  await later.remove(['one', 'three']);
  expect(await storage.list()).toEqual([{ ...action('two'), senderId: 'another tab' }]);
  await storage.remove(['two']);
  expect(await later.list()).toEqual([]);
});

test('removes an action whose write has not ended yet', async () => {
  const storage = createOutboxStorage('ada');
  await Promise.all([storage.put(action('one')), storage.remove(['one'])]);
  expect(await storage.list()).toEqual([]);
});

test('deletes the actions of another user', async () => {
  await createOutboxStorage('ada').put(action('one'));
  expect(await createOutboxStorage('grace').list()).toEqual([]);
  expect(await createOutboxStorage('ada').list()).toEqual([]);
});

test('opens again after a failure, and after its database was deleted', async () => {
  const storage = createOutboxStorage('ada');
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

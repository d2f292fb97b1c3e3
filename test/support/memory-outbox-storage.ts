import type { PendingAction } from '../../src/inbox/shared/outbox/outbox-state.ts';
import type { OutboxStorage } from '../../src/inbox/shared/outbox/outbox-storage.ts';

export interface MemoryStorage extends OutboxStorage {
  /** Makes every call reject with it; null: none. */
  failure: Error | null;
  /** The browser deletes the data. */
  evict(): void;
}

/** The device's storage, in memory: the fake clock does not move IndexedDB's timers. */
export function createMemoryStorage(): MemoryStorage {
  const stored = new Map<string, PendingAction>();
  const act = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    if (storage.failure) throw storage.failure;
    return work();
  };
  const storage: MemoryStorage = {
    failure: null,
    evict: () => stored.clear(),
    list: () => act(() => [...stored.values()]),
    put: (action) => act(() => void stored.set(action.id, action)),
    remove: (ids) =>
      act(() => {
        for (const id of ids) stored.delete(id);
      }),
  };
  return storage;
}

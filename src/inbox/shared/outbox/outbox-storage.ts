import { del, delMany, entries, set } from 'idb-keyval';
import { databaseNames, openStore } from '../open-store.ts';
import type { PendingAction } from './outbox-state.ts';

/** The stored actions of one user, which all tabs share. Every method rejects if the browser's storage fails. */
export interface OutboxStorage {
  /** In any order. Deletes the actions of other users, whose sessions have ended. */
  list(): Promise<readonly PendingAction[]>;
  put(action: PendingAction): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** Keeps the actions in IndexedDB, so that they survive a restart of the browser. */
export function createOutboxStorage(userId: string): OutboxStorage {
  const store = openStore(databaseNames.outbox, 'pending', 'strict');
  return {
    async list() {
      const stored = await entries<string, PendingAction>(store);
      const foreign = stored.filter(([, action]) => action.userId !== userId);
      if (foreign.length > 0)
        await delMany(
          foreign.map(([id]) => id),
          store,
        );
      return stored.flatMap(([, action]) => (action.userId === userId ? action : []));
    },
    put: (action) => set(action.id, action, store),
    remove: (ids) =>
      ids.length === 1 && ids[0] !== undefined ? del(ids[0], store) : delMany([...ids], store),
  };
}

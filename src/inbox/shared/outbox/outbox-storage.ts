import { del, delMany, entries, set } from 'idb-keyval';
import { databaseNames, openStore } from '../open-store.ts';
import type { PendingAction } from './outbox-state.ts';

/** The stored actions of one user, which all tabs share. Every method rejects if the browser's storage fails. */
export interface OutboxStorage {
  /** In any order. Deletes the actions of other users, and those that have waited too long for their user. */
  list(): Promise<readonly PendingAction[]>;
  put(action: PendingAction): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface OutboxStorageOptions {
  readonly userId: string;
  readonly now: () => number;
  /** Called with how many stored actions were deleted unsent. */
  readonly onDropped: (count: number) => void;
}

/** How long the actions of an ended session wait for the same user. */
export const keptMs = 14 * 24 * 3_600_000;

/** Keeps the actions in IndexedDB, so that they survive a restart of the browser and the end of the session. */
export function createOutboxStorage({ userId, now, onDropped }: OutboxStorageOptions): OutboxStorage {
  const store = openStore(databaseNames.outbox, 'pending', 'strict');
  return {
    async list() {
      const stored = await entries<string, PendingAction>(store);
      const isKept = (action: PendingAction) => action.userId === userId && now() - action.addedAtMs < keptMs;
      const dropped = stored.flatMap(([id, action]) => (isKept(action) ? [] : [id]));
      if (dropped.length > 0) {
        await delMany(dropped, store);
        onDropped(dropped.length);
      }
      return stored.flatMap(([, action]) => (isKept(action) ? action : []));
    },
    put: (action) => set(action.id, action, store),
    remove: (ids) =>
      ids.length === 1 && ids[0] !== undefined ? del(ids[0], store) : delMany([...ids], store),
  };
}

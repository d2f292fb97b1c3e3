import { outboxDatabaseName } from '../../shared/outbox/outbox.ts';
import type { OutboxEntry } from './outbox-state.ts';

/** The stored entries of one user. All tabs share them. */
export interface OutboxStorage {
  /** Oldest first. Deletes the entries of other users, whose sessions have ended. */
  list(): Promise<readonly OutboxEntry[]>;
  add(entry: Omit<OutboxEntry, 'sequence'>): Promise<OutboxEntry>;
  release(id: string): Promise<void>;
  /** Marks the entry as being sent. Resolves to false if it no longer exists. */
  claim(id: string): Promise<boolean>;
  /** Deletes the entry unless it is claimed. Resolves to whether it was deleted. */
  withdraw(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

const storeName = 'changes';

/** Keeps the entries in IndexedDB, so that they survive a restart of the browser. */
export function createOutboxStorage(userId: string): OutboxStorage {
  let opened: Promise<IDBDatabase> | null = null;
  const forget = () => {
    opened = null;
  };

  /** Runs `act` in one transaction and resolves when it is complete. */
  const transact = async <T>(act: (store: IDBObjectStore, resolve: (value: T) => void) => void) => {
    opened ??= openDatabase(forget);
    opened.catch(forget);
    const database = await opened;
    return new Promise<T>((resolve, reject) => {
      // `strict`: the browser may be closed right after.
      const transaction = database.transaction(storeName, 'readwrite', { durability: 'strict' });
      let result: { readonly value: T } | null = null;
      transaction.oncomplete = () => (result ? resolve(result.value) : reject(new Error('No result')));
      transaction.onabort = () => reject(transaction.error ?? new Error('The transaction was aborted'));
      act(transaction.objectStore(storeName), (value) => {
        result = { value };
      });
    });
  };
  const withEntry = <T>(
    id: string,
    act: (store: IDBObjectStore, entry: OutboxEntry | undefined) => T,
  ): Promise<T> =>
    transact((store, resolve) => {
      const request = store.index('id').get(id) as IDBRequest<OutboxEntry | undefined>;
      request.onsuccess = () => resolve(act(store, request.result));
    });

  return {
    list: () =>
      transact((store, resolve) => {
        const request = store.getAll() as IDBRequest<OutboxEntry[]>;
        request.onsuccess = () => {
          for (const entry of request.result) if (entry.userId !== userId) store.delete(entry.sequence);
          resolve(request.result.filter((entry) => entry.userId === userId));
        };
      }),
    add: (entry) =>
      transact((store, resolve) => {
        const request = store.add(entry);
        request.onsuccess = () => resolve({ ...entry, sequence: Number(request.result) });
      }),
    release: (id) => withEntry(id, (store, entry) => void (entry && store.put({ ...entry, heldUntilMs: 0 }))),
    claim: (id) =>
      withEntry(id, (store, entry) => {
        if (entry && !entry.isClaimed) store.put({ ...entry, isClaimed: true });
        return entry !== undefined;
      }),
    withdraw: (id) =>
      withEntry(id, (store, entry) => {
        if (!entry || entry.isClaimed) return false;
        store.delete(entry.sequence);
        return true;
      }),
    remove: (id) => withEntry(id, (store, entry) => void (entry && store.delete(entry.sequence))),
  };
}

function openDatabase(onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(outboxDatabaseName, 1);
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(storeName, { keyPath: 'sequence', autoIncrement: true });
      store.createIndex('id', 'id', { unique: true });
    };
    request.onsuccess = () => {
      const { result: database } = request;
      database.onclose = onGone;
      database.onversionchange = () => {
        database.close();
        onGone();
      };
      resolve(database);
    };
    request.onerror = () => reject(request.error ?? new Error(`${outboxDatabaseName} was not opened`));
  });
}

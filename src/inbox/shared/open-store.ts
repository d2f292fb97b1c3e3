import type { UseStore } from 'idb-keyval';

/** The application's databases in IndexedDB: of the data cache and of the outbox. */
export const databaseNames = { cache: 'inbox-cache', outbox: 'inbox-outbox' } as const;

/**
 * A store of IndexedDB for the functions of `idb-keyval` that make their requests at once, which is all but `update`. The
 * database is opened at the first use; its connection is closed when a page deletes it, and opened again at the next use, as
 * after a failure.
 *
 * @param durability `strict` where a write must survive a crash right after it.
 */
export function openStore(
  databaseName: string,
  storeName: string,
  durability: IDBTransactionDurability = 'default',
): UseStore {
  let opened: Promise<IDBDatabase> | null = null;
  const forget = () => {
    opened = null;
  };
  return async (mode, use) => {
    opened ??= openDatabase(databaseName, storeName, forget);
    // The caller sees the rejection.
    opened.catch(forget);
    const transaction = (await opened).transaction(storeName, mode, { durability });
    const result = use(transaction.objectStore(storeName));
    // Chromium aborts what is not committed when the page is left.
    if (mode === 'readwrite') transaction.commit();
    return result;
  };
}

function openDatabase(name: string, storeName: string, onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => {
      const { result: database } = request;
      database.onclose = onGone;
      database.onversionchange = () => {
        database.close();
        onGone();
      };
      resolve(database);
    };
    request.onerror = () => reject(request.error ?? new Error(`${name} was not opened`));
  });
}

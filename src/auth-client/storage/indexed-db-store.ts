import type { Store } from './store.ts';

const STORE = 'values';

/**
 * IndexedDB, which workers see too.
 *
 * @param factory returns `indexedDB`; a browser that blocks it throws at the mere access.
 * @param name of the database; default `auth`.
 */
export function createIndexedDbStore(factory: () => IDBFactory, name = 'auth'): Store {
  let opened: Promise<IDBDatabase> | undefined;
  const forget = () => {
    opened = undefined;
  };
  const open = () => {
    opened ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = factory().open(name, 1);
      request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
      request.onsuccess = () => {
        // The browser closes it under pressure, or for another version: the next call opens it again.
        request.result.onclose = forget;
        request.result.onversionchange = () => {
          request.result.close();
          forget();
        };
        resolve(request.result);
      };
      request.onerror = () => reject(request.error ?? new Error('IndexedDB cannot be opened'));
    });
    opened.catch(forget);
    return opened;
  };
  const run = async <T>(
    mode: IDBTransactionMode,
    ask: (values: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    const transaction = (await open()).transaction(STORE, mode);
    return new Promise<T>((resolve, reject) => {
      const request = ask(transaction.objectStore(STORE));
      // An exceeded quota is reported only when the transaction ends.
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB aborted'));
    });
  };
  return {
    async get(key) {
      const value: unknown = await run<unknown>('readonly', (values) => values.get(key));
      return typeof value === 'string' ? value : null;
    },
    async set(key, value) {
      await run('readwrite', (values) => values.put(value, key));
    },
    async remove(key) {
      await run('readwrite', (values) => values.delete(key));
    },
  };
}

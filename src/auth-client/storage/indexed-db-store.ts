import type { AuthStore } from './store.ts';

const STORE = 'values';

/**
 * IndexedDB, which workers see too.
 *
 * @param factory returns `indexedDB`; a browser that blocks it throws at the mere access.
 * @param name of the database; default `auth`.
 */
export function createIndexedDbStore(factory: () => IDBFactory, name = 'auth'): AuthStore {
  let opened: Promise<IDBDatabase> | undefined;
  const open = () => {
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
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
    const forget = () => {
      if (opened === opening) opened = undefined;
    };
    opening.catch(forget);
    return (opened = opening);
  };
  /**
   * iOS ends the connections of a suspended page without an event. An operation that fails on an earlier connection is
   * retried on a new one.
   */
  const run = async <T>(
    mode: IDBTransactionMode,
    ask: (values: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    const earlier = opened;
    if (!earlier) return attempt(open(), mode, ask);
    try {
      return await attempt(earlier, mode, ask);
    } catch (problem) {
      if (isNamed(problem, 'QuotaExceededError')) throw problem;
      if (opened === earlier) {
        opened = undefined;
        void earlier.then((database) => database.close()).catch(() => undefined);
      }
      return attempt(opened ?? open(), mode, ask);
    }
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

const isNamed = (problem: unknown, name: string) =>
  (Object(problem) as { readonly name?: unknown }).name === name;

async function attempt<T>(
  connection: Promise<IDBDatabase>,
  mode: IDBTransactionMode,
  ask: (values: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await connection).transaction(STORE, mode);
  return new Promise<T>((resolve, reject) => {
    const request = ask(transaction.objectStore(STORE));
    // An exceeded quota is reported only when the transaction ends.
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB aborted'));
  });
}

/**
 * Where the client keeps text by key: the session under the storage key, PKCE verifiers under keys derived from it.
 * Any method may throw or reject; the client then continues in memory and reports it.
 */
export interface AuthStore {
  /** False if no other tab or client has the same storage, so that no change is announced. Default true. */
  readonly isShared?: boolean | undefined;
  /** Returns the text under `key`; null if it is missing. */
  get(key: string): Promise<string | null> | string | null;
  /** Replaces the text under `key`. */
  set(key: string, value: string): Promise<void> | void;
  /** Removes `key`; does nothing if it is missing. */
  remove(key: string): Promise<void> | void;
}

/** A synchronous session storage. */
export interface SyncAuthStore extends AuthStore {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

/** Keeps everything in this realm's memory. */
export function createMemoryStore(): SyncAuthStore {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key) ?? null,
    set: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
  };
}

/**
 * localStorage or sessionStorage.
 *
 * @param open returns the storage; a browser that blocks it throws at the mere access, so it is not accessed early.
 */
export function createWebStorageStore(
  open: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): AuthStore {
  return {
    get: (key) => open().getItem(key),
    set: (key, value) => open().setItem(key, value),
    remove: (key) => open().removeItem(key),
  };
}

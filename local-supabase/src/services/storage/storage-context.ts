import type { Database } from '../../database/database.ts';
import type { Claims, TokenKeys } from '../../keys/keys.ts';
import type { StorageCaller } from './caller.ts';
import type { LinkTokens } from './link-tokens.ts';
import type { ObjectStore } from './object-store.ts';
import type { Transaction } from './transaction.ts';

export interface StorageServiceOptions {
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly objects: ObjectStore;
  /** The maximum size of an object in every bucket, and of a bucket's own limit. Default 50 GiB. */
  readonly fileSizeLimitBytes?: number | undefined;
  /** Whether one request removes at most 1,000 objects, as in hosted projects since June 2026. Default true. */
  readonly isRemovalLimited?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The options and transactions that every route uses. */
export interface StorageContext extends StorageServiceOptions {
  readonly fileSizeLimitBytes: number;
  readonly links: LinkTokens;
  callerOf(request: Request): StorageCaller;
  /**
   * Returns the claims of a request's caller.
   *
   * @param options whether the route's schema requires the header, as most do.
   * @throws {StorageError} 400 without the header if it is required, 403 for an invalid token.
   */
  admit(request: Request, options?: { readonly isHeaderChecked?: boolean }): Claims;
  /** Runs `task` with the role and claims of the request's caller, who was admitted. */
  run<T>(request: Request, task: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs `task` as superuser, after access was checked. */
  runAllowed<T>(request: Request, task: (tx: Transaction) => Promise<T>): Promise<T>;
}

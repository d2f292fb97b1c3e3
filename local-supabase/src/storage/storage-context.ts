import type { Database } from '../database/database.ts';
import type { Claims, TokenKeys } from '../keys/keys.ts';
import type { LinkTokens } from './link-tokens.ts';
import type { ObjectStore } from './object-store.ts';
import type { Transaction } from './transaction.ts';

export interface StorageServiceOptions {
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly objects: ObjectStore;
  /** The maximum size of an object, in every bucket. Default: the maximum size of a request. */
  readonly fileSizeLimitBytes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The options and transactions that every route uses. */
export interface StorageContext extends StorageServiceOptions {
  readonly links: LinkTokens;
  /** The claims of a request's caller. */
  claimsOf(request: Request): Claims;
  /** Runs `task` with the role and claims of the request's caller. */
  run<T>(request: Request, task: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs `task` as superuser, after access was checked. */
  runAllowed<T>(task: (tx: Transaction) => Promise<T>): Promise<T>;
}

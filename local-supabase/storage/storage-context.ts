import type { Database } from '../database/database.ts';
import type { TokenKeys } from '../keys/keys.ts';
import type { ObjectStore } from './object-store.ts';
import type { Transaction } from './transaction.ts';

export interface StorageServiceOptions {
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly objects: ObjectStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What every route works with. */
export interface StorageContext extends StorageServiceOptions {
  /** Runs `task` with the rights of who sent the request. */
  run<T>(request: Request, task: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs `task` with all rights, for what was allowed before. */
  runAllowed<T>(task: (tx: Transaction) => Promise<T>): Promise<T>;
}

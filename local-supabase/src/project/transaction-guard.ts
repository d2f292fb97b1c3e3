import { AsyncLocalStorage } from 'node:async_hooks';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import type { FetchFunction } from '../http/in-process.ts';

/** The database and the API that an instance's user gets. */
export interface GuardedInstance {
  readonly database: PgliteDatabase;
  readonly fetch: FetchFunction;
}

/**
 * Rejects calls that would deadlock: within a transaction, a call of the API or of the database itself of the same
 * instance waits for the transaction's session. Calls over a port are not detected; the transaction then ends after ten
 * seconds (25P03).
 */
export function guardTransactions({ database, fetch }: GuardedInstance): GuardedInstance {
  /** Created on first use, because async context tracking slows down every promise of the process. */
  let inside: AsyncLocalStorage<{ isOpen: boolean }> | undefined;
  const refuse = (what: string) => {
    if (inside?.getStore()?.isOpen !== true) return;
    throw new Error(
      `${what} within database.transaction waits for the transaction itself: use the \`sql\` that the transaction passes, or make the call afterwards`,
    );
  };
  return {
    fetch: async (...request) => {
      refuse('A call of the API');
      return fetch(...request);
    },
    database: {
      ...database,
      query: async (text, params) => {
        refuse('database.query');
        return database.query(text, params);
      },
      exec: async (text) => {
        refuse('database.exec');
        return database.exec(text);
      },
      listen: async (channel, listener) => {
        refuse('database.listen');
        return database.listen(channel, listener);
      },
      transaction: async (task) => {
        refuse('A second database.transaction');
        inside ??= new AsyncLocalStorage();
        const storage = inside;
        const state = { isOpen: true };
        try {
          return await database.transaction((sql) => storage.run(state, () => task(sql)));
        } finally {
          state.isOpen = false;
        }
      },
    },
  };
}

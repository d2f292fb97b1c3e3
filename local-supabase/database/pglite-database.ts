import type { PGliteInterface, Transaction } from '@electric-sql/pglite';
import { types } from '@electric-sql/pglite';
import { createPipeline } from './pipeline.ts';
import type { Pipeline } from './pipeline.ts';
import type { Database, Sql } from './database.ts';

/** The database, with direct access to its one session for the services that run whole transactions. */
export interface PgliteDatabase extends Database {
  /**
   * Runs `task` alone in the session. Within the task, call only `pipeline`: any other method would deadlock.
   */
  readonly exclusive: Exclusive;
  /** Runs statements in the session without a new transaction; only within `exclusive`. */
  readonly pipeline: Pipeline;
}

/**
 * The parsers of result values: timestamps become `Date`, `date` stays text, json is parsed, int8 is a number, or a
 * bigint where a number would lose digits.
 */
const parsers = {
  [types.TIMESTAMPTZ]: (value: string) => new Date(value),
  [types.TIMESTAMP]: (value: string) => new Date(`${value}Z`),
  [types.DATE]: (value: string) => value,
  [types.JSON]: (value: string): unknown => JSON.parse(value),
  [types.JSONB]: (value: string): unknown => JSON.parse(value),
  [types.INT8]: (value: string) => (Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value)),
  [types.NUMERIC]: (value: string) => value,
};

/** The `Database` over one PGlite. All statements pass through one queue. */
export function createPgliteDatabase(pglite: PGliteInterface): PgliteDatabase {
  const exclusive = createExclusive();
  const run = async <Row>(
    target: PGliteInterface | Transaction,
    text: string,
    params: readonly unknown[],
  ) => {
    const { rows } = await target.query<Row>(text, [...params], { parsers });
    return rows;
  };
  const within = (transaction: Transaction): Sql => ({
    query: (text, params = []) => run(transaction, text, params),
  });
  let closed: Promise<void> | undefined;

  return {
    exclusive,
    pipeline: createPipeline(pglite),
    query: (text, params = []) => exclusive(() => run(pglite, text, params)),
    exec: (text) => exclusive(async () => void (await pglite.exec(text))),
    transaction: (task) => exclusive(() => pglite.transaction((transaction) => task(within(transaction)))),
    async listen(channel, listener) {
      const end = await exclusive(() => pglite.listen(channel, listener));
      return () => exclusive(() => end());
    },
    close: () => (closed ??= exclusive(() => pglite.close())),
  };
}

/** A first-in, first-out mutex: runs one task at a time. */
interface Exclusive {
  <T>(task: () => Promise<T>): Promise<T>;
}

function createExclusive(): Exclusive {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = tail.then(task, task);
    tail = run.catch(() => undefined);
    return run;
  };
}

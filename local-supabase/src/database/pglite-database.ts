import type { PGlite, PGliteInterface, Transaction } from '@electric-sql/pglite';
import { types } from '@electric-sql/pglite';
import { watchForCrash } from './database-crash.ts';
import { createPipeline } from './pipeline.ts';
import type { Pipeline } from './pipeline.ts';
import type { Database, Sql } from './database.ts';

/** The database, with direct access to its one session for the services that run whole transactions. */
export interface PgliteDatabase extends Database {
  /**
   * Runs `task` alone in the session. Within the task, call only `pipeline`: any other method would deadlock.
   */
  readonly exclusive: Exclusive;
  /** Runs `task` alone in the session, with the PGlite itself; call no other method within it. */
  session<T>(task: (pglite: PGlite) => Promise<T>): Promise<T>;
  /** How many tasks wait for the session. */
  waiting(): number;
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

/** Opens the files of a crashed PGlite again, in a new PGlite. */
export type Reopen = (crashed: PGlite) => Promise<PGlite>;

export interface PgliteOwner {
  /** Replaces a crashed PGlite before the next task. Without it, a crash is final. */
  readonly reopen?: Reopen;
  /** Takes the PGlite back at the end. Default: ends it. */
  readonly release?: (pglite: PGlite) => Promise<void>;
}

interface Subscription {
  readonly channel: string;
  readonly listener: (payload: string) => void;
  end: () => Promise<void>;
}

/** The `Database` over one PGlite. All statements pass through one queue. */
export function createPgliteDatabase(opened: PGlite, owner: PgliteOwner = {}): PgliteDatabase {
  const { reopen, release = (pglite) => pglite.close() } = owner;
  let pglite = opened;
  let crashOf = watchForCrash(pglite);
  const subscriptions = new Set<Subscription>();
  const queue = createQueue();

  const replaceCrashed = async (reopenFiles: Reopen) => {
    const fresh = await reopenFiles(pglite);
    for (const subscription of subscriptions) {
      subscription.end = await fresh.listen(subscription.channel, subscription.listener);
    }
    pglite = fresh;
    crashOf = watchForCrash(fresh);
  };
  const exclusive: Exclusive = (task) =>
    queue(async () => {
      if (closed) throw new Error('The database is closed');
      if (reopen && crashOf()) await replaceCrashed(reopen);
      return task();
    });

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
  const end = async () => {
    if (crashOf()) return pglite.close();
    for (const subscription of subscriptions) await subscription.end();
    return release(pglite);
  };

  return {
    exclusive,
    session: (task) => exclusive(() => task(pglite)),
    waiting: () => queue.waiting(),
    pipeline: createPipeline(() => pglite),
    query: (text, params = []) => exclusive(() => run(pglite, text, params)),
    exec: (text) => exclusive(async () => void (await pglite.exec(text))),
    transaction: (task) => exclusive(() => pglite.transaction((transaction) => task(within(transaction)))),
    listen: (channel, listener) =>
      exclusive(async () => {
        const subscription = { channel, listener, end: await pglite.listen(channel, listener) };
        subscriptions.add(subscription);
        return () =>
          exclusive(async () => {
            subscriptions.delete(subscription);
            await subscription.end();
          });
      }),
    close: () => (closed ??= queue(end)),
  };
}

interface Exclusive {
  <T>(task: () => Promise<T>): Promise<T>;
}

interface Queue extends Exclusive {
  waiting(): number;
}

/** A first-in, first-out mutex: runs one task at a time. */
function createQueue(): Queue {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const enter: Exclusive = (task) => {
    waiting += 1;
    const start = () => {
      waiting -= 1;
      return task();
    };
    const run = tail.then(start, start);
    tail = run.catch(() => undefined);
    return run;
  };
  return Object.assign(enter, { waiting: () => waiting });
}

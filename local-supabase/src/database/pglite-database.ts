import type { Transaction } from '@electric-sql/pglite';
import { resetSession } from './connect.ts';
import { createPipeline } from './pipeline.ts';
import type { Pipeline } from './pipeline.ts';
import { crashWatchOf, isRemote, type PostgresSession } from './postgres-session.ts';
import { resultParsers } from './result-parsers.ts';
import { createTurns, type Exclusive } from './turns.ts';
import type { Database, Sql } from './database.ts';

/** The database with direct access to its only session, for services that run whole transactions. */
export interface PgliteDatabase extends Database {
  /**
   * Runs `task` alone in the session. Within the task, call only `pipeline`: any other method would deadlock.
   */
  readonly exclusive: Exclusive;
  /**
   * Passes the session to `task`, which runs alone in it; call no other method within the task. Afterwards an open
   * transaction is rolled back, and the user and the settings are those of the services.
   */
  session<T>(task: (session: PostgresSession) => Promise<T>): Promise<T>;
  /** The number of tasks that wait for the session. */
  waiting(): number;
  /** Runs statements in the session without a new transaction; only within `exclusive`. */
  readonly pipeline: Pipeline;
  /** Changes when the session is replaced after a crash; prepared statements are then gone. */
  epoch(): number;
  /** Like `listen`, only within `exclusive`. */
  listenWithin(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
  /** Subscribes again, after a client's `unlisten` in the shared session; only within `exclusive`. */
  listenAgain(): Promise<void>;
  /** Cancels the running statement (57014). Has no effect unless PostgreSQL runs in another thread. */
  cancel(): void;
  /**
   * Rejects waiting tasks, and ends the current transaction and the running statement. If the statement does not end
   * within two seconds, terminates PostgreSQL's thread.
   */
  interrupt(): Promise<void>;
}

/** Opens the files of a crashed session in a new session. */
export type Reopen = (crashed: PostgresSession) => Promise<PostgresSession>;

export interface PgliteOwner {
  /** Replaces a crashed session before the next task. Without it, a crash is final. */
  readonly reopen?: Reopen;
  /** Called with the session at the end. Default: closes it. */
  readonly release?: (session: PostgresSession) => Promise<void>;
  /** How long a transaction may be idle while others wait, in milliseconds. Default 10,000. */
  readonly idleTransactionMs?: number;
}

interface Subscription {
  readonly channel: string;
  readonly listener: (payload: string) => void;
  end: () => Promise<void>;
}

const nothing = () => Promise.resolve();

/** Drops the reference to `end`: it refers to the session, which would stay in memory with the subscription. */
async function endSubscription(subscription: Subscription): Promise<void> {
  const { end } = subscription;
  subscription.end = nothing;
  await end();
}

/** Rolls back a transaction that is still open. The first attempt may read the rest of the broken message. */
async function canRollBack(session: PostgresSession): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await session.exec('rollback');
      await session.query('select 1');
      return true;
    } catch {
      // Try once more; then a new session is opened.
    }
  }
  return false;
}

/** Maximum time between a cancellation and the end of the statement. */
const CANCEL_MS = 2000;

/** Implements `Database` over one session. All statements pass through one queue. */
export function createPgliteDatabase(opened: PostgresSession, owner: PgliteOwner = {}): PgliteDatabase {
  const { reopen, release = (session) => session.close(), idleTransactionMs = 10_000 } = owner;
  /** Undefined after closing, so that references to the closed database do not keep PostgreSQL's memory. */
  let session: PostgresSession | undefined = opened;
  let crashOf: ReturnType<typeof crashWatchOf> | undefined = crashWatchOf(opened);
  let epoch = 0;
  /** Whether the session is still in a transaction that should have ended. */
  let isStuck = false;
  let closed: Promise<void> | undefined;
  const subscriptions = new Set<Subscription>();
  const turns = createTurns(idleTransactionMs);

  const current = (): PostgresSession => {
    if (!session) throw new Error('The database is closed');
    return session;
  };
  const replaceCrashed = async (reopenFiles: Reopen) => {
    const fresh = await reopenFiles(current());
    for (const subscription of subscriptions) {
      subscription.end = await fresh.listen(subscription.channel, subscription.listener);
    }
    session = fresh;
    isStuck = false;
    epoch += 1;
    crashOf = crashWatchOf(fresh);
  };
  const exclusive: Exclusive = (task) =>
    turns.enter(async () => {
      if (closed) throw new Error('The database is closed');
      if (reopen && (isStuck || crashOf?.())) await replaceCrashed(reopen);
      return task();
    });
  /**
   * Rolls back after a failure: PGlite's own rollback fails after values that PostgreSQL cannot read, and later tasks
   * would join the transaction.
   */
  const settle = async <T>(task: Promise<T>): Promise<T> => {
    try {
      return await task;
    } catch (problem) {
      if (!crashOf?.()) isStuck = !(await canRollBack(current()));
      throw problem;
    }
  };

  const giveBack = async () => {
    if (crashOf?.()) return;
    isStuck = !(await canRollBack(current()));
    if (!isStuck) await resetSession(current());
  };

  const run = async <Row>(
    target: Pick<PostgresSession | Transaction, 'query'>,
    text: string,
    params: readonly unknown[],
  ) => {
    const { rows } = await target.query<Row>(text, [...params], { parsers: resultParsers });
    return rows;
  };
  const transaction = <T>(task: (sql: Sql) => Promise<T>): Promise<T> =>
    exclusive(() =>
      settle(
        current().transaction((inner) => {
          const lease = turns.lease();
          const sql: Sql = { query: (text, params = []) => lease.run(() => run(inner, text, params)) };
          return lease.until(task(sql));
        }),
      ),
    );
  const listenWithin = async (channel: string, listener: (payload: string) => void) => {
    const subscription = { channel, listener, end: await current().listen(channel, listener) };
    subscriptions.add(subscription);
    return async () => {
      subscriptions.delete(subscription);
      await endSubscription(subscription);
    };
  };
  const end = async () => {
    const ended = current();
    const isCrashed = crashOf?.() !== undefined;
    for (const subscription of subscriptions) {
      if (isCrashed) subscription.end = nothing;
      else await endSubscription(subscription);
    }
    subscriptions.clear();
    session = undefined;
    crashOf = undefined;
    return isCrashed ? ended.close() : release(ended);
  };
  const cancel = async () => {
    const canceled = session;
    if (!canceled || !isRemote(canceled)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => void canceled.terminate().then(resolve, reject), CANCEL_MS);
    });
    await Promise.race([canceled.cancel(), late]).finally(() => clearTimeout(timer));
  };

  return {
    exclusive,
    session: (task) =>
      exclusive(async () => {
        try {
          return await task(current());
        } finally {
          await giveBack();
        }
      }),
    waiting: turns.waiting,
    pipeline: createPipeline(current),
    epoch: () => epoch,
    query: (text, params = []) => exclusive(() => settle(run(current(), text, params))),
    exec: (text) => exclusive(async () => void (await settle(current().exec(text)))),
    transaction,
    listen: (channel, listener) =>
      exclusive(async () => {
        const stop = await listenWithin(channel, listener);
        return () => exclusive(stop);
      }),
    listenWithin,
    async listenAgain() {
      for (const { channel } of subscriptions) await current().query(`listen ${channel}`);
    },
    cancel: () => {
      if (session && isRemote(session)) void session.cancel();
    },
    async interrupt() {
      turns.end();
      await cancel();
    },
    close: () => (closed ??= turns.enter(end)),
  };
}

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

/** The one session, its subscriptions, and its replacement after a crash. */
class HeldSession {
  /** Undefined after closing, so that references to the closed database do not keep PostgreSQL's memory. */
  #session: PostgresSession | undefined;
  #crashOf: ReturnType<typeof crashWatchOf> | undefined;
  /** Whether the session is still in a transaction that should have ended. */
  #isStuck = false;
  readonly #subscriptions = new Set<Subscription>();
  readonly #reopen: Reopen | undefined;
  epoch = 0;

  constructor(opened: PostgresSession, reopen: Reopen | undefined) {
    this.#session = opened;
    this.#crashOf = crashWatchOf(opened);
    this.#reopen = reopen;
  }

  readonly current = (): PostgresSession => {
    if (!this.#session) throw new Error('The database is closed');
    return this.#session;
  };

  async replaceIfBroken(): Promise<void> {
    if (!this.#reopen || !(this.#isStuck || this.#crashOf?.())) return;
    const fresh = await this.#reopen(this.current());
    for (const subscription of this.#subscriptions)
      subscription.end = await fresh.listen(subscription.channel, subscription.listener);
    this.#session = fresh;
    this.#isStuck = false;
    this.epoch += 1;
    this.#crashOf = crashWatchOf(fresh);
  }

  /**
   * Rolls back after a failure: PGlite's own rollback fails after values that PostgreSQL cannot read, and later tasks
   * would join the transaction.
   */
  async settle<T>(task: Promise<T>): Promise<T> {
    try {
      return await task;
    } catch (problem) {
      if (!this.#crashOf?.()) this.#isStuck = !(await canRollBack(this.current()));
      throw problem;
    }
  }

  /** Ends what a task with the whole session has left behind. */
  async restore(): Promise<void> {
    if (this.#crashOf?.()) return;
    this.#isStuck = !(await canRollBack(this.current()));
    if (!this.#isStuck) await resetSession(this.current());
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    const subscription = { channel, listener, end: await this.current().listen(channel, listener) };
    this.#subscriptions.add(subscription);
    return async () => {
      this.#subscriptions.delete(subscription);
      await endSubscription(subscription);
    };
  }

  async listenAgain(): Promise<void> {
    for (const { channel } of this.#subscriptions) await this.current().query(`listen ${channel}`);
  }

  async end(release: (session: PostgresSession) => Promise<void>): Promise<void> {
    const ended = this.current();
    const isCrashed = this.#crashOf?.() !== undefined;
    for (const subscription of this.#subscriptions) {
      if (isCrashed) subscription.end = nothing;
      else await endSubscription(subscription);
    }
    this.#subscriptions.clear();
    this.#session = undefined;
    this.#crashOf = undefined;
    return isCrashed ? ended.close() : release(ended);
  }

  cancel(): void {
    if (this.#session && isRemote(this.#session)) void this.#session.cancel();
  }

  /** Cancels the running statement, and terminates a thread in which it does not end. */
  async cancelOrTerminate(): Promise<void> {
    const canceled = this.#session;
    if (!canceled || !isRemote(canceled)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => void canceled.terminate().then(resolve, reject), CANCEL_MS);
    });
    await Promise.race([canceled.cancel(), late]).finally(() => clearTimeout(timer));
  }
}

async function run<Row>(
  target: Pick<PostgresSession | Transaction, 'query'>,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await target.query<Row>(text, [...params], { parsers: resultParsers });
  return rows;
}

/** Implements `Database` over one session. All statements pass through one queue. */
export function createPgliteDatabase(opened: PostgresSession, owner: PgliteOwner = {}): PgliteDatabase {
  const { reopen, release = (session) => session.close(), idleTransactionMs = 10_000 } = owner;
  const held = new HeldSession(opened, reopen);
  const turns = createTurns(idleTransactionMs);
  let closed: Promise<void> | undefined;
  const exclusive: Exclusive = (task) =>
    turns.enter(async () => {
      if (closed) throw new Error('The database is closed');
      await held.replaceIfBroken();
      return task();
    });
  const transaction = <T>(task: (sql: Sql) => Promise<T>): Promise<T> =>
    exclusive(() =>
      held.settle(
        held.current().transaction((inner) => {
          const lease = turns.lease();
          const sql: Sql = { query: (text, params = []) => lease.run(() => run(inner, text, params)) };
          return lease.until(task(sql));
        }),
      ),
    );
  return {
    exclusive,
    session: (task) =>
      exclusive(async () => {
        try {
          return await task(held.current());
        } finally {
          await held.restore();
        }
      }),
    waiting: turns.waiting,
    pipeline: createPipeline(held.current),
    epoch: () => held.epoch,
    query: (text, params = []) => exclusive(() => held.settle(run(held.current(), text, params))),
    exec: (text) => exclusive(async () => void (await held.settle(held.current().exec(text)))),
    transaction,
    listen: (channel, listener) =>
      exclusive(async () => {
        const stop = await held.listen(channel, listener);
        return () => exclusive(stop);
      }),
    listenWithin: (channel, listener) => held.listen(channel, listener),
    listenAgain: () => held.listenAgain(),
    cancel: () => held.cancel(),
    async interrupt() {
      turns.end();
      await held.cancelOrTerminate();
    },
    close: () => (closed ??= turns.enter(() => held.end(release))),
  };
}

import type { DatabaseError } from './database-error.ts';

export interface Exclusive {
  <T>(task: () => Promise<T>): Promise<T>;
}

/** Permission for a transaction's task to run statements; ends with the transaction or earlier. */
export interface Lease {
  /** Runs a statement. @throws {TransactionEnded} after the lease's end. */
  run<T>(statement: () => Promise<T>): Promise<T>;
  /** Waits for the task, or rejects at the lease's end. */
  until<T>(task: Promise<T>): Promise<T>;
}

/** Queues tasks for PostgreSQL's session: one at a time, in order of arrival. */
export interface Turns {
  readonly enter: Exclusive;
  waiting(): number;
  /** Begins a lease for the task that holds the session. */
  lease(): Lease;
  /** Ends the current lease and rejects waiting tasks. Later tasks are admitted. */
  end(): void;
}

/** A transaction was ended before its task. The code is 25P03 if it was idle while others waited, else 57P01. */
export class TransactionEnded extends Error implements DatabaseError {
  override readonly name = 'TransactionEnded';
  readonly code: '25P03' | '57P01';
  constructor(code: '25P03' | '57P01', message: string) {
    super(message);
    this.code = code;
  }
}

const CLOSING = 'The statement was ended: the database is being closed';

class TimedLease implements Lease {
  #ended: (() => TransactionEnded) | undefined;
  #running = 0;
  #idleSinceMs = performance.now();
  #reject: (problem: TransactionEnded) => void = () => undefined;
  readonly #ending = new Promise<never>((_, reject) => {
    this.#reject = reject;
  });
  readonly #idleMs: number;
  readonly #waiting: () => number;
  #timer: ReturnType<typeof setTimeout>;

  constructor(idleMs: number, waiting: () => number) {
    this.#idleMs = idleMs;
    this.#waiting = waiting;
    this.#timer = setTimeout(() => this.#check(), idleMs);
  }

  #check(): void {
    const restMs =
      this.#running > 0 || this.#waiting() === 0
        ? this.#idleMs
        : this.#idleSinceMs + this.#idleMs - performance.now();
    if (restMs > 0) this.#timer = setTimeout(() => this.#check(), restMs);
    else {
      const text = `The transaction was ended: it ran no statement for ${this.#idleMs / 1000} s, while others waited for the one session of PostgreSQL. Call no API of the same instance within it.`;
      this.end(new TransactionEnded('25P03', text));
    }
  }

  end(problem: TransactionEnded): void {
    this.#ended ??= () => problem;
    this.#reject(problem);
  }

  async run<T>(statement: () => Promise<T>): Promise<T> {
    if (this.#ended) throw this.#ended();
    this.#running += 1;
    try {
      return await statement();
    } finally {
      this.#running -= 1;
      this.#idleSinceMs = performance.now();
    }
  }

  until<T>(task: Promise<T>): Promise<T> {
    return Promise.race([task, this.#ending]).finally(() => {
      clearTimeout(this.#timer);
      // Create the error on demand: its stack frames would keep the session in memory.
      this.#ended ??= () => new TransactionEnded('57P01', 'The transaction has ended');
    });
  }
}

/** @param idleMs how long a lease may be idle while others wait. */
export function createTurns(idleMs: number): Turns {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let ends = 0;
  /** The value of `ends` when the current task arrived. */
  let endsBefore = 0;
  /** Undefined between transactions, because a lease keeps the session in memory. */
  let current: TimedLease | undefined;
  return {
    enter(task) {
      waiting += 1;
      const admittedAfter = ends;
      const start = () => {
        waiting -= 1;
        endsBefore = admittedAfter;
        if (ends === admittedAfter) return task();
        throw new TransactionEnded('57P01', CLOSING);
      };
      const run = tail.then(start, start);
      tail = run.catch(() => undefined);
      return run;
    },
    waiting: () => waiting,
    lease() {
      const lease = new TimedLease(idleMs, () => waiting);
      current = lease;
      if (ends !== endsBefore) lease.end(new TransactionEnded('57P01', CLOSING));
      return {
        run: (statement) => lease.run(statement),
        until: (task) => lease.until(task).finally(() => (current = undefined)),
      };
    },
    end() {
      ends += 1;
      current?.end(new TransactionEnded('57P01', CLOSING));
    },
  };
}

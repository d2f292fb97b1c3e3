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

/** Must not close over a lease. */
const ignoreEnd = (): void => undefined;

/** @param idleMs how long a lease may be idle while others wait. */
export function createTurns(idleMs: number): Turns {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let ends = 0;
  /** The value of `ends` when the current task arrived. */
  let endsBefore = 0;
  let end: (problem: TransactionEnded) => void = ignoreEnd;
  const lease = (): Lease => {
    let ended: (() => TransactionEnded) | undefined;
    let [running, idleSinceMs] = [0, performance.now()];
    let reject: (problem: TransactionEnded) => void = () => undefined;
    const ending = new Promise<never>((_, refuse) => {
      reject = refuse;
    });
    end = (problem) => {
      ended ??= () => problem;
      reject(problem);
    };
    const check = () => {
      const restMs = running > 0 || waiting === 0 ? idleMs : idleSinceMs + idleMs - performance.now();
      if (restMs > 0) timer = setTimeout(check, restMs);
      else {
        const text = `The transaction was ended: it ran no statement for ${idleMs / 1000} s, while others waited for the one session of PostgreSQL. Call no API of the same instance within it.`;
        end(new TransactionEnded('25P03', text));
      }
    };
    let timer = setTimeout(check, idleMs);
    if (ends !== endsBefore) end(new TransactionEnded('57P01', CLOSING));
    return {
      async run(statement) {
        if (ended) throw ended();
        running += 1;
        try {
          return await statement();
        } finally {
          running -= 1;
          idleSinceMs = performance.now();
        }
      },
      until: (task) =>
        Promise.race([task, ending]).finally(() => {
          clearTimeout(timer);
          // Create the error on demand: its stack frames would keep the session in memory.
          ended ??= () => new TransactionEnded('57P01', 'The transaction has ended');
          end = ignoreEnd;
        }),
    };
  };
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
    lease,
    end() {
      ends += 1;
      end(new TransactionEnded('57P01', CLOSING));
    },
  };
}

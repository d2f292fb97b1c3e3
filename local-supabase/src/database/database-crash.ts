import type { PGlite } from '@electric-sql/pglite';
import { STACK_DEPTH_EXCEEDED } from './database-error.ts';
import type { DatabaseError } from './database-error.ts';

/**
 * PostgreSQL ended within a statement. Its memory is unusable; its files contain everything that was committed. The
 * code is 54001 if a statement recursed too deeply, else 57P02 (crash_shutdown).
 */
export class DatabaseCrash extends Error implements DatabaseError {
  override readonly name = 'DatabaseCrash';
  readonly code: string;
  readonly hint: string | undefined;
  constructor({ code, message, hint }: DatabaseError, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** @returns the crash for an error of the WebAssembly engine or of its thread. */
export function toDatabaseCrash(cause: Error): DatabaseCrash {
  if (cause instanceof RangeError) return new DatabaseCrash(STACK_DEPTH_EXCEEDED, cause);
  return new DatabaseCrash({ code: '57P02', message: `PostgreSQL crashed: ${cause.message}` }, cause);
}

/** @returns the crash of a watched PGlite, or undefined. */
export type CrashWatch = () => DatabaseCrash | undefined;

/**
 * Detects crashes. PGlite does not check PostgreSQL's stack depth, and swallows exceptions that are not PostgreSQL
 * errors (V8's RangeError on a full stack, a WebAssembly trap): the statement would seem to succeed, and a later
 * message could commit half of it. After a crash, every message is refused.
 */
export function watchForCrash(pglite: PGlite): CrashWatch {
  const watch = watches.get(pglite) ?? startWatch(pglite);
  watches.set(pglite, watch);
  return watch;
}

const watches = new WeakMap<PGlite, CrashWatch>();

function startWatch(pglite: PGlite): CrashWatch {
  const { Module: postgres } = pglite;
  const { _PostgresMainLoopOnce: runMessage } = postgres;
  const send = pglite.execProtocolRawSync.bind(pglite);
  let crash: DatabaseCrash | undefined;
  const assertAlive = () => {
    if (crash) throw crash;
  };
  const runMessageWatched = () => {
    try {
      runMessage();
    } catch (problem) {
      if (isTrap(problem)) crash ??= toDatabaseCrash(problem);
      else if (!isOwnError(problem))
        crash ??= toDatabaseCrash(new Error('its process ended', { cause: problem }));
      throw problem;
    }
  };
  Object.assign(postgres, { _PostgresMainLoopOnce: runMessageWatched });
  pglite.execProtocolRawSync = (message) => {
    assertAlive();
    try {
      return send(message);
    } finally {
      assertAlive();
    }
  };
  return () => crash;
}

const isTrap = (problem: unknown): problem is Error => problem instanceof Error;

/** The status of PGlite's `ExitStatus`, which is not an `Error`, for a failed statement; other statuses end the process. */
const STATEMENT_ERROR_STATUS = 100;

const isOwnError = (problem: unknown): boolean =>
  (problem as { status?: unknown } | null)?.status === STATEMENT_ERROR_STATUS;

import type { PGliteOptions } from '@electric-sql/pglite';
import { DatabaseCrash } from '../database/database-crash.ts';
import { isDatabaseError } from '../database/database-error.ts';

/** The options that the thread's PGlite starts with. */
export interface WorkerStart {
  readonly module: WebAssembly.Module;
  /** The id of the request to cancel, at index 0. */
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly dataDir: string;
  readonly startParams: PGliteOptions['startParams'];
  /** URLs of the archives of extensions, by name. */
  readonly extensions: Readonly<Record<string, string>>;
  /** The URL of the folder with the project's own extensions. */
  readonly ownExtensions: string;
}

export type WorkerMethod =
  | 'query'
  | 'exec'
  | 'execProtocol'
  | 'listen'
  | 'unlisten'
  | 'dumpDataDir'
  | 'writeFiles'
  | 'setAhead'
  | 'close';

export interface WorkerRequest {
  readonly id: number;
  readonly method: WorkerMethod;
  readonly args: readonly unknown[];
}

export type WorkerMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly problem: SentProblem }
  | { readonly channel: string; readonly payload: string };

/** An error as plain data: a structured clone keeps only its message. */
export interface SentProblem {
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isCrash: boolean;
}

export function encodeProblem(problem: unknown): SentProblem {
  const error = problem instanceof Error ? problem : new Error(String(problem));
  const simple = Object.entries(error).filter(
    ([, value]) => typeof value !== 'object' && typeof value !== 'function',
  );
  return {
    message: error.message,
    stack: error.stack,
    fields: Object.fromEntries(simple),
    isCrash: error instanceof DatabaseCrash,
  };
}

export function decodeProblem({ message, stack, fields, isCrash }: SentProblem): Error {
  const error = Object.assign(new Error(message), fields);
  if (stack !== undefined) error.stack = stack;
  return isCrash && isDatabaseError(error) ? new DatabaseCrash(error, error) : error;
}

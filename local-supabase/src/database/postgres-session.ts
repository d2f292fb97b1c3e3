import type { PGlite, PGliteInterface } from '@electric-sql/pglite';
import type { PipelineResult, ProtocolStatement } from './protocol.ts';
import { watchForCrash, type DatabaseCrash } from './database-crash.ts';

/** A PGlite in this thread, or a client of one in another thread. */
export type PostgresSession = PGlite | RemoteSession;

export type SqlSession = Pick<PGliteInterface, 'query' | 'exec' | 'transaction'>;

type SharedMethods = 'query' | 'exec' | 'transaction' | 'execProtocol' | 'listen' | 'dumpDataDir' | 'close';

/** The methods of PGlite that the services call, for a PGlite in another thread. */
export interface RemoteSession extends Pick<PGliteInterface, SharedMethods> {
  readonly isRemote: true;
  /** Runs statements one after another, with values as text. Without it, `execProtocol` sends them in one message. */
  readonly pipeline?: (statements: readonly ProtocolStatement[]) => Promise<readonly PipelineResult[]>;
  /** The crash because of which it refuses statements, or undefined. */
  crash(): DatabaseCrash | undefined;
  /** Cancels the running statement (57014); resolves when it has ended. */
  cancel(): Promise<void>;
  /** Ends PostgreSQL at once, as a power failure would: committed data stays in its files. */
  terminate(): Promise<void>;
  /** Writes files to PostgreSQL's file system. */
  writeFiles(files: readonly SessionFile[]): Promise<void>;
  /** Sets how many milliseconds SQL's clock is ahead of the machine's. */
  setAhead(byMs: number): Promise<void>;
}

export interface SessionFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

export const isRemote = (session: PostgresSession): session is RemoteSession => 'isRemote' in session;

/** @returns a function that returns the session's crash, or undefined. */
export const crashWatchOf = (session: PostgresSession): (() => DatabaseCrash | undefined) =>
  isRemote(session) ? () => session.crash() : watchForCrash(session);

import type { PGlite, PGliteInterface } from '@electric-sql/pglite';
import type { PipelineResult, ProtocolStatement } from './protocol.ts';
import { watchForCrash, type DatabaseCrash } from './database-crash.ts';

/** The session of PostgreSQL: a PGlite in this thread, or what speaks to one in another. */
export type PostgresSession = PGlite | RemoteSession;

/** What runs SQL in the session. */
export type SqlSession = Pick<PGliteInterface, 'query' | 'exec' | 'transaction'>;

type SharedMethods = 'query' | 'exec' | 'transaction' | 'execProtocol' | 'listen' | 'dumpDataDir' | 'close';

/** The methods of PGlite that the services call, for a PGlite in another thread. */
export interface RemoteSession extends Pick<PGliteInterface, SharedMethods> {
  readonly isRemote: true;
  /** Runs statements one after another, with values as text; without it, `execProtocol` does so in one message. */
  readonly pipeline?: (statements: readonly ProtocolStatement[]) => Promise<readonly PipelineResult[]>;
  /** Why it takes no further statement; undefined while it does. */
  crash(): DatabaseCrash | undefined;
  /** Asks the statement that runs to end, with 57014; resolves when it has ended. */
  cancel(): Promise<void>;
  /** Ends PostgreSQL at once, as a power failure would: its files keep what was committed. */
  terminate(): Promise<void>;
  /** Makes files available to PostgreSQL, by their path in its file system. */
  writeFiles(files: readonly SessionFile[]): Promise<void>;
  /** Sets how many milliseconds SQL's clock is ahead of the machine's. */
  setAhead(byMs: number): Promise<void>;
}

export interface SessionFile {
  readonly path: string;
  readonly text: string;
}

export const isRemote = (session: PostgresSession): session is RemoteSession => 'isRemote' in session;

/** @returns how a crash of the session is known. */
export const crashWatchOf = (session: PostgresSession): (() => DatabaseCrash | undefined) =>
  isRemote(session) ? () => session.crash() : watchForCrash(session);

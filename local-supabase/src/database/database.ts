/** Runs SQL in one session. */
export interface Sql {
  /** Runs one statement with `$1`-style parameters and returns its rows. Rejects with PostgreSQL's error (`code` = SQLSTATE). */
  query<Row = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<Row[]>;
}

/** The embedded PostgreSQL. It has one session, so code that sets a role or claims has to use a transaction. */
export interface Database extends Sql {
  /** Runs several statements without parameters. */
  exec(text: string): Promise<void>;
  /** Runs `task` in a transaction: commits when it resolves, rolls back when it rejects. Other statements wait. */
  transaction<T>(task: (sql: Sql) => Promise<T>): Promise<T>;
  /** Calls `listener` after each commit that notified `channel`. Returns a function that unsubscribes it. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

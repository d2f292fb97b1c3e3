/** A read that a live query keeps current: a query of rows of the REST client. */
export interface LiveSource<out Row> {
  /** What the query reads. */
  readonly plan: LivePlan;
  /** Reads the rows. */
  execute(options: { readonly signal: AbortSignal }): Promise<readonly Row[]>;
  /** The rows with one of these values in the column. */
  in(column: never, values: readonly never[]): LiveSource<Row>;
}

/** The parts of a query that a live query needs: see `Plan` of the REST client. */
export interface LivePlan {
  /** The table, view or function, percent-encoded. */
  readonly path: string;
  /** The schema; undefined for the server's default. */
  readonly schema?: string | undefined;
  /** The conditions, joined by `and`, in their wire form. */
  readonly filters: readonly LiveFilter[];
  /** The terms of the order in their wire form. */
  readonly order: readonly string[];
  /** At most this many rows. */
  readonly limit?: number | undefined;
  /** The number of rows to skip. */
  readonly offset?: number | undefined;
}

/** A condition: see `Filter` of the REST client. */
export interface LiveFilter {
  /** Whether the condition is negated. */
  readonly not?: boolean;
  /** The column; absent for a tree of conditions. */
  readonly column?: string;
  /** The operator of PostgREST. */
  readonly operator: string;
  /** The operand; a list for `in` only. */
  readonly operand?: string | readonly string[];
}

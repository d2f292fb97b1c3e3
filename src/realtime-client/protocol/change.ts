/** The operation of a change. */
export type ChangeType = 'INSERT' | 'UPDATE' | 'DELETE';

/** Selects the changes to receive. */
export interface Binding {
  /** The operation. Default `*`: all. */
  readonly event?: ChangeType | '*';
  /** The schema. Default `public`. */
  readonly schema?: string;
  /** The table. Default: every published table of the schema. Required by `filter` and `select`. */
  readonly table?: string;
  /**
   * `column=operator.value`, such as `recipient_id=eq.1`; several, separated by commas, must all match. An UPDATE is
   * tested on the new row only, a DELETE on the row's replica identity only. Default: no filter.
   */
  readonly filter?: string;
  /** Columns of the record; the primary key is always included. Default: all columns. */
  readonly select?: readonly string[];
}

/** A change of one row. */
export type Change<Row> = ChangeOrigin &
  /** `record` is the new row. */
  (
    | { readonly type: 'INSERT'; readonly record: Row }
    /** `record` is the new row; `oldRecord` has the columns of the replica identity. */
    | { readonly type: 'UPDATE'; readonly record: Row; readonly oldRecord: Partial<Row> }
    /** `oldRecord` has the columns of the replica identity; under row-level security the primary key only. */
    | { readonly type: 'DELETE'; readonly oldRecord: Partial<Row> }
  );

/** The changes that a binding to these events delivers. */
export type ChangeOf<Row, Event> = '*' extends Event
  ? Change<Row>
  : Extract<Change<Row>, { readonly type: Event extends readonly (infer One)[] ? One : Event }>;

interface ChangeOrigin {
  /** Schema of the changed row. */
  readonly schema: string;
  /** Table of the changed row. */
  readonly table: string;
  /** Commit time of the transaction: ISO 8601, in milliseconds, equal for all changes of a transaction. */
  readonly commitTimestamp: string;
}

/** A row as the server sends it, by column name. */
export type RowRecord = Readonly<Record<string, unknown>>;

/** Changes may be missing: read the rows again. Announced once the channel is live, so that the read misses nothing. */
export interface ContinuityLoss {
  /** Always `lost`. */
  readonly continuity: 'lost';
  /** Start of the gap (wall clock of this machine, ms). Clocks differ: read with some overlap. */
  readonly sinceMs: number;
  /**
   * `rejoined`: the channel was interrupted; `resubscribed`: the server subscribed again; `truncated`: a change arrived
   * without its data; `repeated`: an earlier change arrived again, late or as a return to old values; `invalid`: a row
   * failed its schema; `overflow`: more changes than the listener's queue holds.
   */
  readonly reason: 'rejoined' | 'resubscribed' | 'truncated' | 'repeated' | 'invalid' | 'overflow';
}

/** Bindings by their `bindingKey`. */
export type Bindings = ReadonlyMap<string, Binding>;

/** Identifies a binding within a channel by its content, also in the server's echo. */
export function bindingKey(binding: Readonly<Partial<Record<keyof Binding, unknown>>>): string {
  const { event = '*', schema = 'public', table, filter, select } = binding;
  return JSON.stringify([
    event,
    schema,
    table ?? '',
    typeof filter === 'string' ? filter.trim() : '',
    select ?? [],
  ]);
}

import type { CallUser } from '../../platform/call-user.ts';
import { type ColumnPath, encodeColumn, type RelatedColumn } from './quoting.ts';
import type { QueryResponse } from './response.ts';
import type { ColumnsOf, Filterable } from './filter-methods.ts';
import type { Model, Written } from '../types/model.ts';
import type { Columns, Plan, RestRequest } from './plan.ts';
import type { Checked, RelatedColumns, RowOf } from './row.ts';

/** How one execution of a query is sent. */
export interface ExecuteOptions {
  /** Ends the execution with `aborted`; the error's `cause` is the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline for the execution with its retries, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Headers of this execution, replacing others of the same name, regardless of case; preferences are added. Default:
   * none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether failures are retried, by the client's option `retry`. Default true. */
  readonly retry?: boolean | undefined;
  /** `keepalive` of fetch: a write that may outlive the page. Bodies of such requests: 64 KiB together. Default false. */
  readonly keepalive?: boolean | undefined;
  /**
   * Whether a read joins an identical read of this client that is in flight and requires the same, so that both share one
   * request. A read never joins one that began before a write of this client ended. Leave it off where the response must
   * be newer than the call, as in a live query. It needs the client's option `shareReads`. Default false.
   */
  readonly shareInFlight?: boolean | undefined;
  /** The user of earlier executions; another one ends this one with `user-changed`. Default: the user at its start. */
  readonly user?: CallUser | undefined;
}

/**
 * A query: an immutable value that describes a request. Every method returns another query.
 *
 * `await query` executes it once, however often the same value is awaited, so that a write is not repeated by accident.
 * `execute()` executes it again at each call.
 *
 * @throws {RestError} from every way to execute it.
 */
export interface Query<out Data> extends Promise<Data> {
  /** The query as plain values, which modifiers take and return. */
  readonly plan: Plan;
  /** Executes the query again at each call. */
  execute(options?: ExecuteOptions): Promise<Data>;
  /** As `execute`, with the count, the status, the headers and whether the rows were truncated. */
  response(options?: ExecuteOptions): Promise<QueryResponse<Data>>;
  /** The request, without credentials. */
  toRequest(): RestRequest;
  /** `toRequest()`, so that a query can be part of a cache key. */
  toJSON(): RestRequest;
  /** Applies modifiers, such as `maxAffected(1)`. */
  with(...modifiers: readonly Modifier[]): this;
  /** Reads the response in another form, such as `csv()`. */
  as<D>(form: Form<D>): Query<D>;
}

/** Changes a query: `maxAffected(1)`, `header('x-a', 'b')`. */
export interface Modifier {
  (plan: Plan): Plan;
}

/** Changes what a query yields: `csv()`. */
export interface Form<out Data> extends Modifier {
  /** Present for the type checker only. */
  readonly data?: Data;
}

/** How to count: exactly, by the planner's estimate, or exactly only where the estimate is small. */
export type CountKind = 'exact' | 'planned' | 'estimated';

/** What a query of rows yields, by the name that an editor shows for it. */
export interface Yields<Item> {
  /** All rows that match. */
  readonly rows: Item[];
  /** Exactly one row. */
  readonly row: Item;
  /** One row or null. */
  readonly 'row or null': Item | null;
  /** The rows with the count of all that match. */
  readonly 'rows, counted': Counted<Item[]>;
  /** Exactly one row with that count. */
  readonly 'row, counted': Counted<Item>;
  /** One row or null with that count. */
  readonly 'row or null, counted': Counted<Item | null>;
  /** What a function without types returns: any value, or rows. */
  readonly unknown: unknown;
  /** The same with the count. */
  readonly 'unknown, counted': Counted<unknown>;
}

/** The name of a result of a query of rows, such as `rows` or `row, counted`. */
export type YieldName = keyof Yields<unknown>;

type WithCount<Y extends YieldName> = Y extends `${string}, counted` ? Y : `${Y}, counted` & YieldName;
/** The names for another number of rows than `Y`; the count stays. */
type WithRows<Y extends YieldName, To extends 'row' | 'row or null'> = Y extends `${string}, counted`
  ? `${To}, counted`
  : To;

/** Rows, and how they are ordered, cut and shaped. `Y` names what the query yields: `Yields<Item>[Y]`. */
export interface RowsQuery<M extends Model, Item, Y extends YieldName = 'rows'>
  extends Query<Yields<Item>[Y]>, Filterable<M> {
  /** Orders by a column, or by one of a to-one relation; further calls order rows with equal values. */
  order(column: ColumnsOf<M['Row']>['name'] | RelatedColumns<M, Item>, options?: OrderOptions): this;
  /** The maximum number of rows. */
  limit(rows: number): this;
  /** The rows from `first` to `last`, both included and counted from 0. */
  range(first: number, last: number): this;
  /** Also counts all rows that match: see `response()`, or `withCount` for both in one value. */
  count(kind?: CountKind): this;
  /** Yields the rows with the count of all that match. */
  withCount(kind?: CountKind): RowsQuery<M, Item, WithCount<Y>>;
  /** Exactly one row, enforced by the server: else `not-one-row`, and a write is rolled back. */
  single(): RowsQuery<M, Item, WithRows<Y, 'row'>>;
  /** One row or null; more are `not-one-row`, and a write of more is rolled back. */
  maybeSingle(): RowsQuery<M, Item, WithRows<Y, 'row or null'>>;
}

/** Rows, and how many match in all. */
export interface Counted<out Data> {
  /** The rows that were read. */
  readonly rows: Data;
  /** How many match in all. */
  readonly count: number;
  /** Whether the server's limit of rows cut them. */
  readonly truncated: boolean;
}

/** How many rows match. */
export interface CountQuery<M extends Model> extends Query<number>, Filterable<M> {}

/** A write. `Data` is what it yields unless rows are selected. */
export interface WriteQuery<M extends Model, out Data> extends Query<Data>, Selectable<M> {}

/** What can yield rows: those of a table, or those that a write has written. */
export interface Selectable<M extends Model> {
  /**
   * Yields rows. Default: all columns.
   *
   * @param columns a text as PostgREST reads it (`'id, total:amount::text, author:people!owner_id(name)'`), or what `shape()`
   * or `rawSelect()` makes.
   */
  select<const S extends Columns = '*'>(columns?: S & Checked<M, S>): RowsQuery<M, RowOf<M, S>>;
}

/** A write of the rows that match. */
export interface FilteredWriteQuery<M extends Model> extends WriteQuery<M, number | null>, Filterable<M> {}

/** A write that needs a filter before it can be awaited, or `all()`. */
export interface UnfilteredWrite<M extends Model>
  extends Filterable<M, FilteredWriteQuery<M>>, Selectable<M> {
  /** Matches every row, by a filter that is always true; the role needs `select` on the table. */
  all(): FilteredWriteQuery<M>;
  /** Applies modifiers, such as `maxAffected(1)`. */
  with(...modifiers: readonly Modifier[]): this;
  /** Cannot be awaited: an update or delete of all rows needs `all()`. */
  then(this: AddFilterOrAll): never;
}

/** Names an update or delete without a filter in a compiler's message. No value has this type. */
export interface AddFilterOrAll {
  /** No value has this member. */
  readonly problem: unique symbol;
}

/** How rows are added. */
export interface InsertOptions {
  /**
   * The value of a column that one of several rows lacks: its default, as in a write of that row alone, or null. Default 'default'; an
   * upsert that overwrites refuses such rows without it (`invalid-query`), because it would overwrite what the row does not mention.
   */
  readonly missing?: 'default' | 'null' | undefined;
}

/** How rows are added or overwritten. */
export interface UpsertOptions<Column extends string = string> extends InsertOptions {
  /** The column of the unique constraint that decides, or a list of its columns; default: the primary key. */
  readonly onConflict?: Column | readonly Column[];
  /** Leaves rows that exist unchanged. Default false: they are overwritten. */
  readonly ignoreDuplicates?: boolean;
}

type Rows<T> = T | readonly T[];

/** A table or view to query. */
export interface Table<M extends Model> extends Selectable<M> {
  /** Counts the rows that match. Default 'exact'. */
  count(kind?: CountKind): CountQuery<M>;
  /** Adds one row, or several within one transaction. */
  insert(rows: Rows<Written<M['Insert']>>, options?: InsertOptions): WriteQuery<M, void>;
  /** Adds rows, and overwrites those that exist. */
  upsert(
    rows: Rows<Written<M['Insert']>>,
    options?: UpsertOptions<keyof M['Row'] & string>,
  ): WriteQuery<M, void>;
  /** Changes the rows that match. Yields how many were changed; null if the server does not send it. */
  update(values: Written<M['Update']>): UnfilteredWrite<M>;
  /** Deletes the rows that match. Yields how many were deleted; null if the server does not send it. */
  delete(): UnfilteredWrite<M>;
}

/** The one row that a function returns. */
export interface FunctionRowQuery<M extends Model, Item> extends Query<Item> {
  /** Yields these columns of the row. */
  select<const S extends Columns = '*'>(columns?: S & Checked<M, S>): FunctionRowQuery<M, RowOf<M, S>>;
  /** The row, which the server guarantees. */
  single(): Query<Item>;
  /** The row, or null. */
  maybeSingle(): Query<Item | null>;
}

/** The rows that a function returns. */
export interface FunctionRowsQuery<M extends Model> extends RowsQuery<M, M['Row']>, Selectable<M> {}

/** How `order()` sorts by a column, and where it puts nulls. */
export interface OrderOptions {
  /** Smallest first. Default true. */
  readonly ascending?: boolean;
  /** Where rows with null come. Default: PostgreSQL's own, last when ascending and first when descending. */
  readonly nulls?: 'first' | 'last';
}

/** An order of embedded rows: `embed({ … }, { order: [by('name'), by('age', { ascending: false })] })`. */
export function by(
  column: string | ColumnPath | RelatedColumn,
  { ascending = true, nulls }: OrderOptions = {},
): string {
  return `${encodeColumn(column)}.${ascending ? 'asc' : 'desc'}${nulls ? `.nulls${nulls}` : ''}`;
}

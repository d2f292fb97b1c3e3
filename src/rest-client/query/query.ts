import type { Answer } from '../wire/answer.ts';
import type { Filter, Pair, Quantified } from './filter.ts';
import type { Model } from '../types/model.ts';
import type { OrderOptions } from './order.ts';
import type { Columns, Plan, RestRequest } from './plan.ts';
import type { ColumnPath } from './quoting.ts';
import type { Checked, RowOf } from '../types/row.ts';

/** How one execution of a query is sent. */
export interface ExecuteOptions {
  /** Ends the execution with `aborted`; the error's `cause` is the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline for the execution with its retries, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Headers of this execution, in place of others of the same name in any case; preferences are added. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `keepalive` of fetch: a write that may outlive the page. Bodies of such requests: 64 KiB together. Default false. */
  readonly keepalive?: boolean | undefined;
  /**
   * Whether a read joins an identical read of this client that is in flight and asks for the same, so that both share one
   * request. A read never joins one that began before a write of this client ended. Leave it off where the answer must be
   * newer than the call, as in a live query. Default false.
   */
  readonly shareInFlight?: boolean | undefined;
}

/**
 * A query: a value that describes a request and never changes. Every method returns another query.
 *
 * `await query` executes it once, however often the value is awaited: the same write never happens twice by
 * accident. `execute()` executes it anew at each call, as a cache's refetch wants it.
 *
 * @throws {RestError} from every way to execute it.
 */
export interface Query<out Data> extends Promise<Data> {
  /** All that the query is, as plain values: what modifiers change. */
  readonly plan: Plan;
  /** Executes the query anew at each call. */
  execute(options?: ExecuteOptions): Promise<Data>;
  /** As `execute`, with the count, the status, the headers and whether the answer was cut. */
  answer(options?: ExecuteOptions): Promise<Answer<Data>>;
  /** What would be sent, without credentials. */
  toRequest(): RestRequest;
  /** `toRequest()`, by which the query can be part of a cache key. */
  toJSON(): RestRequest;
  /** Applies modifiers, such as `maxAffected(1)`. */
  with(...modifiers: readonly Modifier[]): this;
  /** Reads the answer in another form, such as `csv()`. */
  as<D>(form: Form<D>): Query<D>;
}

/** Changes how a query is asked. */
export interface Modifier {
  (plan: Plan): Plan;
}

/** Changes what a query yields. */
export interface Form<out Data> extends Modifier {
  /** Only for the type checker. */
  readonly data?: Data;
}

type Comparable<T> =
  | T
  | (string extends NonNullable<T> ? Date : never)
  | (number extends NonNullable<T> ? bigint : never)
  | (T extends readonly (infer E)[] ? readonly E[] : never);

type JsonColumn<Row> = `${keyof Row & string}->${string}`;
type JsonOperand = string | number | bigint | boolean | null;

/** A column of the rows, or an arrow path into a JSON column. */
export type Column<Row> = (keyof Row & string) | JsonColumn<Row> | ColumnPath<keyof Row & string>;

type Single<Row, C> = C extends keyof Row ? Comparable<Row[C]> : JsonOperand | Date;

/** What a column can be compared with. */
export type Operand<Row, C> = Single<Row, C> | Quantified<NonNullable<Single<Row, C>>>;

/** The comparisons that fit rows of this type. */
export type PairOf<Row> =
  | { [K in keyof Row & string]: Pair<K, Operand<Row, K>> }[keyof Row & string]
  | Pair<JsonColumn<Row>, JsonOperand | Date | Quantified<NonNullable<JsonOperand>>>;

/** How to count: exactly, by the planner's guess, or exactly only where that is cheap. */
export type CountKind = 'exact' | 'planned' | 'estimated';

/** Conditions; a query's conditions are joined by `and`. */
export interface Filterable<Row> {
  /** Adds conditions that are values: `where(or(eq('a', 1), like('b', 'x%')))`. */
  where(...filters: readonly Filter<PairOf<Row>>[]): this;
  /** Equal; `null` becomes `is.null`. */
  eq<const C extends Column<Row>>(column: C, value: Operand<Row, C>): this;
  /** Not equal; `null` becomes `not.is.null`. */
  neq<const C extends Column<Row>>(column: C, value: Single<Row, C>): this;
  /** Greater than. */
  gt<const C extends Column<Row>>(column: C, value: NonNullable<Operand<Row, C>>): this;
  /** Greater than or equal. */
  gte<const C extends Column<Row>>(column: C, value: NonNullable<Operand<Row, C>>): this;
  /** Less than. */
  lt<const C extends Column<Row>>(column: C, value: NonNullable<Operand<Row, C>>): this;
  /** Less than or equal. */
  lte<const C extends Column<Row>>(column: C, value: NonNullable<Operand<Row, C>>): this;
  /** Equal to one of the values; none match nothing. */
  in<const C extends Column<Row>>(column: C, values: readonly Single<Row, C>[]): this;
  /** Is null, true, false or unknown. */
  is(column: Column<Row>, value: null | boolean | 'unknown' | 'not_null'): this;
}

/** Rows, and how they are ordered, cut and shaped. `Data` is what the query yields, by default `Item[]`. */
export interface RowsQuery<M extends Model, Item, out Data> extends Query<Data>, Filterable<M['Row']> {
  /** Orders by a column; further calls order what is equal by the earlier ones. */
  order(column: Column<M['Row']>, options?: OrderOptions): this;
  /** At most so many rows. */
  limit(rows: number): this;
  /** The rows from `first` to `last`, both included and counted from 0. */
  range(first: number, last: number): this;
  /** Also counts all rows that match: see `answer()`, or `withCount` for both in one value. */
  count(kind?: CountKind): this;
  /** Yields the rows with the count of all that match. */
  withCount(kind?: CountKind): RowsQuery<M, Item, Counted<Data>>;
  /** Exactly one row, enforced by the server: else `not-one-row`, and a write is rolled back. */
  single(): RowsQuery<M, Item, Recounted<Data, Item>>;
  /** One row or null; more are `not-one-row`, and a write of more is rolled back. */
  maybeSingle(): RowsQuery<M, Item, Recounted<Data, Item | null>>;
}

/** Rows, and how many match in all. */
export interface Counted<out Data> {
  readonly rows: Data;
  readonly count: number;
  readonly truncated: boolean;
}

/** What a query yields of other rows than `Data`: with their count if `Data` has one. */
type Recounted<Data, T> = Data extends Counted<unknown> ? Counted<T> : T;

/** How many rows match. */
export interface CountQuery<M extends Model> extends Query<number>, Filterable<M['Row']> {}

/** A write. `Data` is what it yields unless rows are asked for. */
export interface WriteQuery<M extends Model, out Data> extends Query<Data> {
  /** Yields the written rows instead. */
  select<Item = M['Row']>(columns?: '*'): RowsQuery<M, Item, Item[]>;
  select<const S extends Columns>(columns: S & Checked<M, S>): RowsQuery<M, RowOf<M, S>, RowOf<M, S>[]>;
}

/** A write of the rows that match: refused without a filter, unless `all()` says that every row is meant. */
export interface FilteredWriteQuery<M extends Model>
  extends WriteQuery<M, number | null>, Filterable<M['Row']> {
  /** Says that every row is meant. */
  all(): this;
}

/** How rows are added. */
export interface InsertOptions {
  /** What a column gets that a row of several lacks: its default, or null. Default 'null'. */
  readonly missing?: 'default' | 'null';
}

/** How rows are added or overwritten. */
export interface UpsertOptions extends InsertOptions {
  /** Columns of the unique constraint that decides; default: the primary key. */
  readonly onConflict?: string | readonly string[];
  /** Leaves rows that exist as they are. Default false: they are overwritten. */
  readonly ignoreDuplicates?: boolean;
}

type Rows<T> = T | readonly T[];

/** A table or view to query. */
export interface Table<M extends Model> {
  select(columns?: '*'): RowsQuery<M, M['Row'], M['Row'][]>;
  select<const S extends Columns>(columns: S & Checked<M, S>): RowsQuery<M, RowOf<M, S>, RowOf<M, S>[]>;
  /** How many rows match. Default 'exact'. */
  count(kind?: CountKind): CountQuery<M>;
  /** Adds rows: one, or all of them or none. */
  insert(rows: Rows<M['Insert']>, options?: InsertOptions): WriteQuery<M, void>;
  /** Adds rows, and overwrites those that exist. */
  upsert(rows: Rows<M['Insert']>, options?: UpsertOptions): WriteQuery<M, void>;
  /** Yields how many rows were changed; null if the server does not say. */
  update(values: M['Update']): FilteredWriteQuery<M>;
  /** Yields how many rows were deleted; null if the server does not say. */
  delete(): FilteredWriteQuery<M>;
}

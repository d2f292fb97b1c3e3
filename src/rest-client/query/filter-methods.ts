import type { Filter, Pair, Quantified } from './filter.ts';
import type { TextSearchOptions } from './filters.ts';
import type { Encodable, Model, Scalar } from '../types/model.ts';
import type { NoSuchColumn, NotComparable } from '../types/problem.ts';
import type { ColumnPath } from './quoting.ts';

/** Columns that hold JSON, an array or another composed value: what an arrow path can lead into. */
type ComposedColumn<Row> = { [K in keyof Row & string]: Row[K] extends Scalar ? never : K }[keyof Row &
  string];

/**
 * The types of a query's columns. They are members of an interface, because a compiler's message shows the type of a member, and
 * only the name of an alias.
 */
export interface ColumnsOf<Row> {
  /** A column, an arrow path into a JSON column (`data->>name`), or the result of `json()` and its like. */
  readonly name: (keyof Row & string) | `${ComposedColumn<Row>}->${string}` | ColumnPath<keyof Row & string>;
}

type JsonOperand = string | number | bigint | boolean | null;

/** `T` itself is not part of a condition, so that a value of the column also fits where the table is a type parameter. */
type Comparable<T> = T | Encodable<T> | (T extends readonly (infer E)[] ? readonly E[] : never);

/** What a JSON path is compared with. */
type PathOperand<Row, C> = C extends keyof Row ? never : JsonOperand | Date;

/** The types that a column can be compared with. Members, so that a compiler's message shows them, as in `ColumnsOf`. */
export interface OperandsOf<Row, C> {
  /** One value. */
  readonly single: Comparable<Row[C & keyof Row]> | PathOperand<Row, C>;
  /** One value, or several by `anyOf()` or `allOf()`. */
  readonly any:
    | Comparable<Row[C & keyof Row]>
    | PathOperand<Row, C>
    | Quantified<NonNullable<Comparable<Row[C & keyof Row]> | PathOperand<Row, C>>>;
  /** The same without null. */
  readonly present:
    | NonNullable<Comparable<Row[C & keyof Row]> | PathOperand<Row, C>>
    | Quantified<NonNullable<Comparable<Row[C & keyof Row]> | PathOperand<Row, C>>>;
}

export type PairOf<Row> =
  | { [K in keyof Row & string]: Pair<K, OperandsOf<Row, K>['any']> }[keyof Row & string]
  | Pair<`${ComposedColumn<Row>}->${string}`, JsonOperand | Date | Quantified<NonNullable<JsonOperand>>>;

/** Anything if the filter fits the rows, else the problem. */
type CheckedFilter<Row, F> =
  F extends Filter<infer P>
    ? [Exclude<P, PairOf<Row>>] extends [never]
      ? unknown
      : PairProblem<Row, Exclude<P, PairOf<Row>>>
    : never;

type PairProblem<Row, P> = P extends readonly [infer C, infer Value]
  ? C extends keyof Row
    ? NotComparable<C, Value, Row[C]>
    : NoSuchColumn<C, keyof Row & string>
  : never;

/** The query itself, unless a filter turns it into another kind of query. */
type Chained<Self, Next> = [unknown] extends [Next] ? Self : Next;

/** A pattern, or several by `anyOf()` or `allOf()`. */
type Pattern = string | Quantified<string>;

/**
 * The conditions of a query, joined by `and`: a method for every operator of PostgREST. Trees of conditions go through `where()`
 * and take functions of the same names.
 */
export interface Filterable<M extends Model, Next = unknown> {
  /** Adds conditions that are values, such as trees: `where(or(eq('a', 1), like('b', 'x%')))`. */
  where<const F extends readonly Filter[]>(
    ...filters: { readonly [K in keyof F]: F[K] & CheckedFilter<M['Row'], F[K]> }
  ): Chained<this, Next>;
  /** Equal; `null` becomes `is.null`. */
  eq<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['any'],
  ): Chained<this, Next>;
  /** Not equal; `null` becomes `not.is.null`. As in SQL, a row whose column is null does not match. */
  neq<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['single'],
  ): Chained<this, Next>;
  /** Greater than. */
  gt<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** Greater than or equal. */
  gte<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** Less than. */
  lt<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** Less than or equal. */
  lte<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** Equal to one of the values; `null` among them matches null, and no values match no row. */
  in<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    values: readonly OperandsOf<M['Row'], C>['single'][],
  ): Chained<this, Next>;
  /** Is null, true, false, unknown or not null. */
  is(
    column: ColumnsOf<M['Row']>['name'],
    value: null | boolean | 'unknown' | 'not_null',
  ): Chained<this, Next>;
  /** Differs, where null is a value like any other: never unknown. */
  isDistinct<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['single'],
  ): Chained<this, Next>;
  /** Each of the named columns has the value given for it; `null` matches null. */
  matches(values: { readonly [K in keyof M['Row']]?: OperandsOf<M['Row'], K>['single'] }): Chained<
    this,
    Next
  >;
  /** `%` matches any text, `_` any character; a backslash escapes either. */
  like(column: ColumnsOf<M['Row']>['name'], pattern: Pattern): Chained<this, Next>;
  /** As `like`, regardless of case. */
  ilike(column: ColumnsOf<M['Row']>['name'], pattern: Pattern): Chained<this, Next>;
  /** Matches a POSIX regular expression of PostgreSQL. */
  match(column: ColumnsOf<M['Row']>['name'], pattern: Pattern): Chained<this, Next>;
  /** As `match`, regardless of case. */
  imatch(column: ColumnsOf<M['Row']>['name'], pattern: Pattern): Chained<this, Next>;
  /** The text begins with `text`, taken literally. */
  startsWith(column: ColumnsOf<M['Row']>['name'], text: string): Chained<this, Next>;
  /** The text holds `text`, taken literally. */
  includes(column: ColumnsOf<M['Row']>['name'], text: string): Chained<this, Next>;
  /** An array, range or JSON column holds all of the value: a list, a range's text (`[1,3)`), an object. */
  contains<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** As `contains`, where the column is JSON and the value is a list or any other JSON value. */
  containsJson(column: ColumnsOf<M['Row']>['name'], value: unknown): Chained<this, Next>;
  /** An array, range or JSON column lies within the value. */
  containedBy<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** An array or range column has an element in common with the value. */
  overlaps<const C extends ColumnsOf<M['Row']>['name']>(
    column: C,
    value: OperandsOf<M['Row'], C>['present'],
  ): Chained<this, Next>;
  /** The range lies wholly to the right of the value. */
  rangeGt(column: ColumnsOf<M['Row']>['name'], range: string): Chained<this, Next>;
  /** The range does not reach to the left of the value. */
  rangeGte(column: ColumnsOf<M['Row']>['name'], range: string): Chained<this, Next>;
  /** The range lies wholly to the left of the value. */
  rangeLt(column: ColumnsOf<M['Row']>['name'], range: string): Chained<this, Next>;
  /** The range does not reach to the right of the value. */
  rangeLte(column: ColumnsOf<M['Row']>['name'], range: string): Chained<this, Next>;
  /** The range touches the value, without a gap and without overlap. */
  rangeAdjacent(column: ColumnsOf<M['Row']>['name'], range: string): Chained<this, Next>;
  /** Full-text search in a text or tsvector column. */
  textSearch(
    column: ColumnsOf<M['Row']>['name'],
    words: string,
    options?: TextSearchOptions,
  ): Chained<this, Next>;
  /** The embedded relation of this name has rows. */
  hasRelated(name: string): Chained<this, Next>;
  /** The embedded relation of this name has no rows. */
  hasNoRelated(name: string): Chained<this, Next>;
}

import {
  csv,
  explain,
  type ExplainOptions,
  explainText,
  geojson,
  header,
  maxAffected,
  type Model,
  type Modifier,
  rawParam,
  rawSelect,
  rollback,
  stripNulls,
} from '../../rest-client/index.ts';
import type { QueryBuilder } from '../../rest-client/query/query-builder.ts';
import type { RowOf } from '../../rest-client/query/row.ts';
import type { IsUntyped, Untyped } from '../untyped.ts';
import {
  encodeContainment,
  encodeItems,
  encodeList,
  encodeOperand,
  textOf,
  withoutSpaces,
} from './encoding.ts';
import { toPlainError, toQueryFailure } from './postgrest-error.ts';
import { type PostgrestResponseSuccess, type PostgrestSingleResponse, statusTextOf } from './responses.ts';

/** What a query returns: its failure, too, unless `throwOnError()` was called. */
export type QueryResponse<Data, Throws> = Throws extends true
  ? PostgrestResponseSuccess<Data>
  : PostgrestSingleResponse<Data>;

/** The row that a text selects; unchecked where no `Database` describes the table. */
export type SelectedRow<M extends Model, Columns> = string extends keyof M['Row']
  ? Untyped
  : RowOf<M, Columns>;

/** Rows, or one row of a function that returns one. */
type Selected<M extends Model, Columns, Data> =
  IsUntyped<Data> extends true
    ? Untyped
    : [Data] extends [null] | [readonly unknown[]]
      ? SelectedRow<M, Columns>[]
      : SelectedRow<M, Columns>;

type ItemOf<Data> =
  IsUntyped<Data> extends true ? Untyped : Data extends readonly (infer Item)[] ? Item : Data;

type ColumnOf<Row> = (keyof Row & string) | (string & {});
type ValueOf<Row, Column> = Column extends keyof Row ? Row[Column] : Untyped;

type Merged<Old, New> = Omit<Old, keyof New> & New;
/** The result with the types of `New`, instead of `Old` or merged into it. */
type Overridden<Old, New, Merge> =
  IsUntyped<Old> extends true
    ? New
    : Merge extends false
      ? New
      : New extends readonly (infer NewItem)[]
        ? Old extends readonly (infer Item)[]
          ? Merged<Item, NewItem>[]
          : New
        : null extends Old
          ? Merged<NonNullable<Old>, New> | null
          : Merged<Old, New>;

interface OfReferenced {
  /** The embedded relation to modify. Default: the rows themselves. */
  referencedTable?: string | undefined;
  /** The older name of `referencedTable`. */
  foreignTable?: string | undefined;
}

export interface QuerySettings {
  /** Returns the query with retries of failed reads on or off. */
  readonly withRetries: (query: QueryBuilder, enabled: boolean) => QueryBuilder;
  /** The length of the URL from which a failed query advises how to shorten it. */
  readonly urlLengthLimit: number;
}

/** A query in the vendor's form, over a native one. Its methods change it and return it; each await sends it again. */
export class PostgrestFilterBuilder<
  M extends Model,
  Data,
  Throws extends boolean = false,
> implements PromiseLike<QueryResponse<Data, Throws>> {
  #query: QueryBuilder;
  readonly #settings: QuerySettings;
  /** Applied when the query is sent, because the vendor's methods may be called in any order. */
  readonly #last: ((query: QueryBuilder) => QueryBuilder)[] = [];
  #signal: AbortSignal | undefined;
  #shouldThrow = false;

  /** @param query the native query. */
  constructor(query: QueryBuilder, settings: QuerySettings) {
    this.#query = query;
    this.#settings = settings;
  }

  #change(modify: Modifier): this {
    this.#query = this.#query.with(modify);
    return this;
  }

  #as<NewData>(query: QueryBuilder): PostgrestFilterBuilder<M, NewData, Throws> {
    this.#query = query;
    return this as unknown as PostgrestFilterBuilder<M, NewData, Throws>;
  }

  #where(column: string, operator: string, value: unknown): this {
    return this.#change(rawParam(column, `${operator}.${textOf(value)}`));
  }

  /** Equal. */
  eq<const C extends ColumnOf<M['Row']>>(column: C, value: NonNullable<ValueOf<M['Row'], C>>): this {
    return this.#where(column, 'eq', value);
  }
  /** Not equal. */
  neq<const C extends ColumnOf<M['Row']>>(column: C, value: ValueOf<M['Row'], C>): this {
    return this.#where(column, 'neq', value);
  }
  /** Greater than. */
  gt<const C extends ColumnOf<M['Row']>>(column: C, value: ValueOf<M['Row'], C>): this {
    return this.#where(column, 'gt', value);
  }
  /** Greater than or equal. */
  gte<const C extends ColumnOf<M['Row']>>(column: C, value: ValueOf<M['Row'], C>): this {
    return this.#where(column, 'gte', value);
  }
  /** Less than. */
  lt<const C extends ColumnOf<M['Row']>>(column: C, value: ValueOf<M['Row'], C>): this {
    return this.#where(column, 'lt', value);
  }
  /** Less than or equal. */
  lte<const C extends ColumnOf<M['Row']>>(column: C, value: ValueOf<M['Row'], C>): this {
    return this.#where(column, 'lte', value);
  }
  /** `%` matches any text, `_` any character. */
  like(column: ColumnOf<M['Row']>, pattern: string): this {
    return this.#where(column, 'like', pattern);
  }
  /** As `like`, regardless of case. */
  ilike(column: ColumnOf<M['Row']>, pattern: string): this {
    return this.#where(column, 'ilike', pattern);
  }
  /** Matches all patterns. */
  likeAllOf(column: ColumnOf<M['Row']>, patterns: readonly string[]): this {
    return this.#where(column, 'like(all)', encodeList(patterns));
  }
  /** Matches one of the patterns. */
  likeAnyOf(column: ColumnOf<M['Row']>, patterns: readonly string[]): this {
    return this.#where(column, 'like(any)', encodeList(patterns));
  }
  /** As `likeAllOf`, regardless of case. */
  ilikeAllOf(column: ColumnOf<M['Row']>, patterns: readonly string[]): this {
    return this.#where(column, 'ilike(all)', encodeList(patterns));
  }
  /** As `likeAnyOf`, regardless of case. */
  ilikeAnyOf(column: ColumnOf<M['Row']>, patterns: readonly string[]): this {
    return this.#where(column, 'ilike(any)', encodeList(patterns));
  }
  /** A POSIX regular expression. */
  regexMatch(column: ColumnOf<M['Row']>, pattern: string): this {
    return this.#where(column, 'match', pattern);
  }
  /** As `regexMatch`, regardless of case. */
  regexIMatch(column: ColumnOf<M['Row']>, pattern: string): this {
    return this.#where(column, 'imatch', pattern);
  }
  /** The column is null, true or false. */
  is(column: ColumnOf<M['Row']>, value: boolean | null): this {
    return this.#where(column, 'is', value);
  }
  /** Differs, where null is a value like any other. */
  isDistinct<const C extends ColumnOf<M['Row']>>(column: C, value: ValueOf<M['Row'], C>): this {
    return this.#where(column, 'isdistinct', value);
  }
  /** One of the values. */
  in<const C extends ColumnOf<M['Row']>>(column: C, values: readonly ValueOf<M['Row'], C>[]): this {
    return this.#where(column, 'in', encodeItems(values));
  }
  /** None of the values. */
  notIn<const C extends ColumnOf<M['Row']>>(column: C, values: readonly ValueOf<M['Row'], C>[]): this {
    return this.#where(column, 'not.in', encodeItems(values));
  }
  /** An array, range or JSON column holds all of the value. */
  contains(column: ColumnOf<M['Row']>, value: string | readonly unknown[] | object): this {
    return this.#where(column, 'cs', encodeContainment(value));
  }
  /** An array, range or JSON column lies within the value. */
  containedBy(column: ColumnOf<M['Row']>, value: string | readonly unknown[] | object): this {
    return this.#where(column, 'cd', encodeContainment(value));
  }
  /** An array or range column has an element in common with the value. */
  overlaps(column: ColumnOf<M['Row']>, value: string | readonly unknown[]): this {
    return this.#where(column, 'ov', encodeContainment(value));
  }
  /** The range lies wholly to the right. */
  rangeGt(column: ColumnOf<M['Row']>, range: string): this {
    return this.#where(column, 'sr', range);
  }
  /** The range does not reach to the left. */
  rangeGte(column: ColumnOf<M['Row']>, range: string): this {
    return this.#where(column, 'nxl', range);
  }
  /** The range lies wholly to the left. */
  rangeLt(column: ColumnOf<M['Row']>, range: string): this {
    return this.#where(column, 'sl', range);
  }
  /** The range does not reach to the right. */
  rangeLte(column: ColumnOf<M['Row']>, range: string): this {
    return this.#where(column, 'nxr', range);
  }
  /** The range touches the value. */
  rangeAdjacent(column: ColumnOf<M['Row']>, range: string): this {
    return this.#where(column, 'adj', range);
  }
  /** Full-text search. */
  textSearch(
    column: ColumnOf<M['Row']>,
    query: string,
    { config, type }: { config?: string; type?: 'plain' | 'phrase' | 'websearch' } = {},
  ): this {
    const kind = type ? { plain: 'pl', phrase: 'ph', websearch: 'w' }[type] : '';
    return this.#where(column, `${kind}fts${config === undefined ? '' : `(${config})`}`, query);
  }
  /** Each column has its value. */
  match(values: Readonly<Record<string, unknown>>): this {
    for (const [column, value] of Object.entries(values)) this.#where(column, 'eq', value);
    return this;
  }
  /** Negates an operator of PostgREST. The value is sent unchanged: never pass untrusted text. */
  not(column: ColumnOf<M['Row']>, operator: string, value: unknown): this {
    return this.#where(column, `not.${operator}`, encodeOperand(operator, value));
  }
  /** At least one of the conditions, in PostgREST's syntax. They are sent unchanged: never pass untrusted text. */
  or(filters: string, { referencedTable, foreignTable = referencedTable }: OfReferenced = {}): this {
    return this.#change(rawParam(foreignTable ? `${foreignTable}.or` : 'or', `(${filters})`));
  }
  /** An operator of PostgREST. The value is sent unchanged: never pass untrusted text. */
  filter(column: ColumnOf<M['Row']>, operator: string, value: unknown): this {
    return this.#where(column, operator, encodeOperand(operator.replace(/^not\./, ''), value));
  }

  /** Returns these columns of the rows, also of written rows. */
  select<const Columns extends string = '*'>(
    columns?: Columns,
  ): PostgrestFilterBuilder<M, Selected<M, Columns, Data>, Throws> {
    return this.#as(this.#query.select(rawSelect(withoutSpaces(columns ?? '*'))));
  }
  /** Orders by a column; further calls order rows with equal values. */
  order(
    column: ColumnOf<M['Row']>,
    {
      ascending = true,
      nullsFirst,
      foreignTable,
      referencedTable = foreignTable,
    }: { ascending?: boolean | undefined; nullsFirst?: boolean | undefined } & OfReferenced = {},
  ): this {
    const nulls = nullsFirst === undefined ? '' : `.nulls${nullsFirst ? 'first' : 'last'}`;
    const term = `${column}.${ascending ? 'asc' : 'desc'}${nulls}`;
    if (referencedTable === undefined)
      return this.#change((plan) => ({ ...plan, order: [...plan.order, term] }));
    const key = `${referencedTable}.order`;
    return this.#change((plan) => {
      const earlier = plan.params.flatMap(([name, value]) => (name === key ? [value] : []));
      const others = plan.params.filter(([name]) => name !== key);
      return { ...plan, params: [...others, [key, [...earlier, term].join()]] };
    });
  }
  /** At most this many rows. */
  limit(rows: number, { foreignTable, referencedTable = foreignTable }: OfReferenced = {}): this {
    if (referencedTable) return this.#change(replaceParam(`${referencedTable}.limit`, rows));
    return this.#change((plan) => ({ ...plan, limit: rows }));
  }
  /** The rows from `from` to `to`, both included and counted from 0. */
  range(from: number, to: number, { foreignTable, referencedTable = foreignTable }: OfReferenced = {}): this {
    const limit = to - from + 1;
    if (!referencedTable) return this.#change((plan) => ({ ...plan, offset: from, limit }));
    return this.#change(replaceParam(`${referencedTable}.offset`, from)).limit(limit, { referencedTable });
  }
  /** Exactly one row: else the error has the code `PGRST116`. */
  single(): PostgrestFilterBuilder<M, ItemOf<Data>, Throws> {
    return this.#as(this.#query.single());
  }
  /** One row or null: more are an error with the code `PGRST116`. */
  maybeSingle(): PostgrestFilterBuilder<M, ItemOf<Data> | null, Throws> {
    this.#last.push((query) => query.maybeSingle());
    return this.#as(this.#query);
  }
  /** The rows as CSV. */
  csv(): PostgrestFilterBuilder<M, string, Throws> {
    return this.#as(this.#query.as(csv()));
  }
  /** The rows as GeoJSON. */
  geojson(): PostgrestFilterBuilder<M, Record<string, unknown>, Throws> {
    return this.#as(this.#query.as(geojson()));
  }
  /** How PostgreSQL would execute the query. */
  explain({ format = 'text', ...options }: ExplainOptions & { format?: 'json' | 'text' } = {}) {
    const form = format === 'json' ? explain(options) : explainText(options);
    return this.#as<Untyped>(this.#query.as(form));
  }
  /** Rolls the write back; fails where the server does not allow it, as the native query does. */
  rollback(): this {
    return this.#change(rollback());
  }
  /** The write changes at most this many rows, else nothing. */
  maxAffected(rows: number): this {
    this.#last.push((query) => query.with(maxAffected(rows)));
    return this;
  }
  /** Leaves out the columns of a row that are null. */
  stripNulls(): this {
    if (this.#query.plan.headers['accept'] === 'text/csv')
      throw new Error('stripNulls() cannot be used with csv()');
    this.#last.push((query) => query.with(stripNulls()));
    return this;
  }
  /** Adds a header. */
  setHeader(name: string, value: string): this {
    return this.#change(header(name, value));
  }
  /** Ends the query when the signal aborts. */
  abortSignal(signal: AbortSignal): this {
    this.#signal = signal;
    return this;
  }
  /** Whether a failed read is retried. Default: as the client's option `db.retry`. */
  retry(enabled: boolean): this {
    this.#last.push((query) => this.#settings.withRetries(query, enabled));
    return this;
  }
  /** Throws the error instead of returning it. */
  throwOnError(): PostgrestFilterBuilder<M, Data, true> {
    this.#shouldThrow = true;
    return this as unknown as PostgrestFilterBuilder<M, Data, true>;
  }
  /** Sets the type of the result, without a check. */
  returns<NewData>(): PostgrestFilterBuilder<M, NewData, Throws> {
    return this.#as(this.#query);
  }
  /** Sets the type of the result, or of members of it, without a check. */
  overrideTypes<NewData, Options extends { merge?: boolean } = { merge: true }>(): PostgrestFilterBuilder<
    M,
    Overridden<Data, NewData, Options['merge']>,
    Throws
  > {
    return this.#as(this.#query);
  }

  async #send(): Promise<PostgrestSingleResponse<Data>> {
    let query = this.#query;
    try {
      query = this.#last.reduce((changed, change) => change(changed), query);
      const { data = null, count, status } = await query.response({ signal: this.#signal });
      return {
        success: true,
        error: null,
        data: data as Data,
        count,
        status,
        statusText: statusTextOf(status),
      };
    } catch (problem) {
      const { error, status } = toQueryFailure(problem, {
        length: query.toRequest().url.length,
        limit: this.#settings.urlLengthLimit,
      });
      if (this.#shouldThrow) throw error;
      const statusText = statusTextOf(status);
      return { success: false, error: toPlainError(error), data: null, count: null, status, statusText };
    }
  }

  /** Sends the query. */
  // oxlint-disable-next-line unicorn/no-thenable
  then<A = QueryResponse<Data, Throws>, B = never>(
    onFulfilled?: ((response: QueryResponse<Data, Throws>) => A | PromiseLike<A>) | null,
    onRejected?: ((problem: Untyped) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.#send() as Promise<QueryResponse<Data, Throws>>).then(onFulfilled, onRejected);
  }
}

/** Sets a parameter replacing an earlier one of its name. */
const replaceParam =
  (key: string, value: number): Modifier =>
  (plan) => ({ ...plan, params: [...plan.params.filter(([name]) => name !== key), [key, value]] });

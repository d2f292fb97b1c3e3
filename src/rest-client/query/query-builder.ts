import { type QueryResponse, readMaybe, readRows } from './response.ts';
import { eq, everyRow, type Filter, is, neq, oneOf, type Quantified } from './filter.ts';
import {
  containedBy,
  contains,
  containsJson,
  gt,
  gte,
  hasNoRelated,
  hasRelated,
  ilike,
  imatch,
  includes,
  isDistinct,
  like,
  lt,
  lte,
  match,
  matches,
  overlaps,
  rangeAdjacent,
  rangeGt,
  rangeGte,
  rangeLt,
  rangeLte,
  startsWith,
  textSearch,
  type TextSearchOptions,
} from './filters.ts';
import { accept, maxAffected, prefer } from './modifiers.ts';
import { type Columns, oneRow, type Plan, type Projection, readsRows, type RestRequest } from './plan.ts';
import { type ColumnPath, refuse, type RelatedColumn, requireWhole } from './quoting.ts';
import { by, type CountKind, type ExecuteOptions, type Modifier, type OrderOptions } from './query.ts';
import { encodeSelect } from './select.ts';

/** What a query needs from its client. */
export interface QueryRunner {
  run(plan: Plan, options?: ExecuteOptions): Promise<QueryResponse<unknown>>;
  encode(plan: Plan): RestRequest;
}

type FilteredColumn = string | ColumnPath;
type ColumnName = FilteredColumn | RelatedColumn;

/** Implements every kind of query; the interfaces in query.ts declare which methods each kind has. */
export class QueryBuilder implements Promise<unknown> {
  readonly plan: Plan;
  readonly #runner: QueryRunner;
  #execution: Promise<unknown> | undefined;

  constructor(plan: Plan, runner: QueryRunner) {
    this.plan = plan;
    this.#runner = runner;
  }

  get [Symbol.toStringTag](): string {
    return 'Query';
  }

  with(...modifiers: readonly Modifier[]): QueryBuilder {
    return new QueryBuilder(
      modifiers.reduce((plan, modify) => modify(plan), this.plan),
      this.#runner,
    );
  }

  as(form: Modifier): QueryBuilder {
    return this.with(form);
  }

  #withPlan(plan: Plan): QueryBuilder {
    return new QueryBuilder(plan, this.#runner);
  }

  where(...filters: readonly Filter[]): QueryBuilder {
    const { plan } = this;
    return this.#withPlan({ ...plan, filters: [...plan.filters, ...filters] });
  }

  all(): QueryBuilder {
    return this.where(everyRow);
  }

  /** Lets an update or delete be sent without a filter, which projects of the platform refuse (`21000`). */
  unfiltered(): QueryBuilder {
    return this.#withPlan({ ...this.plan, isUnfiltered: true });
  }

  eq(column: FilteredColumn, value: unknown): QueryBuilder {
    return this.where(eq(column, value));
  }

  neq(column: FilteredColumn, value: unknown): QueryBuilder {
    return this.where(neq(column, value));
  }

  gt(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(gt(column, value));
  }

  gte(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(gte(column, value));
  }

  lt(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(lt(column, value));
  }

  lte(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(lte(column, value));
  }

  in(column: FilteredColumn, values: readonly unknown[]): QueryBuilder {
    return this.where(oneOf(column, values));
  }

  is(column: FilteredColumn, value: null | boolean | 'unknown' | 'not_null'): QueryBuilder {
    return this.where(is(column, value));
  }

  isDistinct(column: FilteredColumn, value: unknown): QueryBuilder {
    return this.where(isDistinct(column, value));
  }

  matches(values: object): QueryBuilder {
    return this.where(...matches(values));
  }

  like(column: FilteredColumn, pattern: string | Quantified<string>): QueryBuilder {
    return this.where(like(column, pattern));
  }

  ilike(column: FilteredColumn, pattern: string | Quantified<string>): QueryBuilder {
    return this.where(ilike(column, pattern));
  }

  match(column: FilteredColumn, pattern: string | Quantified<string>): QueryBuilder {
    return this.where(match(column, pattern));
  }

  imatch(column: FilteredColumn, pattern: string | Quantified<string>): QueryBuilder {
    return this.where(imatch(column, pattern));
  }

  startsWith(column: FilteredColumn, text: string): QueryBuilder {
    return this.where(startsWith(column, text));
  }

  includes(column: FilteredColumn, text: string): QueryBuilder {
    return this.where(includes(column, text));
  }

  contains(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(contains(column, value));
  }

  containsJson(column: FilteredColumn, value: unknown): QueryBuilder {
    return this.where(containsJson(column, value));
  }

  containedBy(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(containedBy(column, value));
  }

  overlaps(column: FilteredColumn, value: {}): QueryBuilder {
    return this.where(overlaps(column, value));
  }

  rangeGt(column: FilteredColumn, range: string): QueryBuilder {
    return this.where(rangeGt(column, range));
  }

  rangeGte(column: FilteredColumn, range: string): QueryBuilder {
    return this.where(rangeGte(column, range));
  }

  rangeLt(column: FilteredColumn, range: string): QueryBuilder {
    return this.where(rangeLt(column, range));
  }

  rangeLte(column: FilteredColumn, range: string): QueryBuilder {
    return this.where(rangeLte(column, range));
  }

  rangeAdjacent(column: FilteredColumn, range: string): QueryBuilder {
    return this.where(rangeAdjacent(column, range));
  }

  textSearch(column: FilteredColumn, words: string, options?: TextSearchOptions): QueryBuilder {
    return this.where(textSearch(column, words, options));
  }

  hasRelated(name: string): QueryBuilder {
    return this.where(hasRelated(name));
  }

  hasNoRelated(name: string): QueryBuilder {
    return this.where(hasNoRelated(name));
  }

  order(column: ColumnName, options?: OrderOptions): QueryBuilder {
    const { plan } = this;
    return this.#withPlan({ ...plan, order: [...plan.order, by(column, options)] });
  }

  limit(limit: number): QueryBuilder {
    return this.#withPlan({ ...this.plan, limit: requireWhole(limit) });
  }

  range(first: number, last: number): QueryBuilder {
    return this.#withPlan({
      ...this.plan,
      offset: requireWhole(first),
      limit: requireWhole(last - first + 1),
    });
  }

  count(kind: CountKind = 'exact'): QueryBuilder {
    return this.with(prefer({ count: kind }));
  }

  withCount(kind?: CountKind): QueryBuilder {
    return this.#withPlan({ ...this.count(kind).plan, isCounted: true });
  }

  select(columns: Columns = '*'): QueryBuilder {
    const { plan } = readsRows(this.plan) ? this : this.with(prefer({ return: 'representation' }));
    const { select, params, check } = project(plan, columns);
    return this.#withPlan({ ...plan, select, params, check, read: readRows });
  }

  single(): QueryBuilder {
    return this.#withPlan({ ...this.with(accept(oneRow)).plan, read: readRows });
  }

  maybeSingle(): QueryBuilder {
    const { method, path, addedRows = 0, limit = 2 } = this.plan;
    if (addedRows > 1) refuse('maybeSingle() of several rows');
    // The server bounds a function only if it returns a set, which the name does not show.
    const isLimited = method === 'GET' || path.startsWith('rpc/');
    const bounded = isLimited ? this.limit(Math.min(limit, 2)) : this.with(maxAffected(1));
    return this.#withPlan({ ...bounded.plan, read: readMaybe });
  }

  toRequest(): RestRequest {
    return this.#runner.encode(this.plan);
  }

  toJSON(): RestRequest {
    return this.toRequest();
  }

  response(options?: ExecuteOptions): Promise<QueryResponse<unknown>> {
    return this.#runner.run(this.plan, options);
  }

  async execute(options?: ExecuteOptions): Promise<unknown> {
    const { data } = await this.response(options);
    return data;
  }

  // A query is awaited like a promise; the first `await` executes it.
  // oxlint-disable-next-line unicorn/no-thenable
  then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((problem: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.#execution ??= this.execute()).then(onFulfilled, onRejected);
  }

  catch<B>(onRejected?: ((problem: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.then(null).finally(onFinally);
  }
}

/** The select of a query. `check` is always set: `undefined` removes the check of an earlier select. */
export function project({ project: own, params }: Plan, columns: Columns): Projection {
  const { select, check, ...made } =
    own?.(columns) ?? (typeof columns === 'string' ? { select: encodeSelect(columns), params: [] } : columns);
  return { select, params: [...params, ...made.params], check };
}

import { type Answer, readMaybe, readRows } from './answer.ts';
import { eq, everyRow, type Filter, is, neq, oneOf } from './filter.ts';
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
} from './filters.ts';
import { accept, maxAffected, prefer } from './modifiers.ts';
import { type Columns, oneRow, type Plan, type Projection, readsRows, type RestRequest } from './plan.ts';
import { type ColumnPath, refuse, type RelatedColumn, requireWhole } from './quoting.ts';
import { by, type CountKind, type ExecuteOptions, type Modifier, type OrderOptions } from './query.ts';
import { encodeSelect } from './select.ts';

/** What a query needs from its client. */
export interface QueryRunner {
  run(plan: Plan, options?: ExecuteOptions): Promise<Answer<unknown>>;
  encode(plan: Plan): RestRequest;
}

type ColumnName = string | ColumnPath | RelatedColumn;

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

  answer(options?: ExecuteOptions): Promise<Answer<unknown>> {
    return this.#runner.run(this.plan, options);
  }

  async execute(options?: ExecuteOptions): Promise<unknown> {
    const { data } = await this.answer(options);
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

/** The operators that are methods of a query: each adds the condition that the function of its name makes. */
const operators = {
  eq,
  neq,
  gt,
  gte,
  lt,
  lte,
  in: oneOf,
  is,
  isDistinct,
  matches,
  like,
  ilike,
  match,
  imatch,
  startsWith,
  includes,
  contains,
  containsJson,
  containedBy,
  overlaps,
  rangeGt,
  rangeGte,
  rangeLt,
  rangeLte,
  rangeAdjacent,
  textSearch,
  hasRelated,
  hasNoRelated,
};

for (const [name, operator] of Object.entries(operators)) {
  const makeFilters = operator as (...operands: unknown[]) => Filter | readonly Filter[];
  Object.defineProperty(QueryBuilder.prototype, name, {
    value(this: QueryBuilder, ...operands: unknown[]): QueryBuilder {
      const made = makeFilters(...operands);
      return Array.isArray(made) ? this.where(...(made as readonly Filter[])) : this.where(made as Filter);
    },
  });
}

/** The select of a query. `check` is always set: `undefined` removes the check of an earlier select. */
export function project({ project: own, params }: Plan, columns: Columns): Projection {
  const { select, check, ...made } =
    own?.(columns) ?? (typeof columns === 'string' ? { select: encodeSelect(columns), params: [] } : columns);
  return { select, params: [...params, ...made.params], check };
}

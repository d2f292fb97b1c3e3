import { type Answer, readAffected, readCount, readMaybe, readNothing, readRows } from '../wire/answer.ts';
import { eq, type Filter, is, neq, oneOf } from './filter.ts';
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
import { accept, maxAffected, oneRow, prefer } from './modifiers.ts';
import { by, type OrderOptions } from './order.ts';
import { type Columns, type Plan, type Projection, readsRows, type RestRequest } from './plan.ts';
import { type ColumnPath, encodeColumn, encodeJson, quote, refuse } from './quoting.ts';
import type { CountKind, ExecuteOptions, Modifier, UpsertOptions } from './query.ts';
import { encodeSelect } from './select.ts';

/** What queries need of the client. */
export interface Runner {
  run(plan: Plan, options?: ExecuteOptions): Promise<Answer<unknown>>;
  encode(plan: Plan): RestRequest;
}

type ColumnName = string | ColumnPath;

/** Every kind of query at once; the interfaces of query.ts say what fits which. */
export class QueryBuilder implements Promise<unknown> {
  readonly plan: Plan;
  readonly #runner: Runner;
  #execution: Promise<unknown> | undefined;

  constructor(plan: Plan, runner: Runner) {
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

  #set(change: Partial<Plan>): QueryBuilder {
    return new QueryBuilder({ ...this.plan, ...change }, this.#runner);
  }

  where(...filters: readonly Filter[]): QueryBuilder {
    return this.#set({ filters: [...this.plan.filters, ...filters] });
  }

  all(): QueryBuilder {
    return this.#set({ all: true });
  }

  order(column: ColumnName, options?: OrderOptions): QueryBuilder {
    return this.#set({ order: [...this.plan.order, by(column, options)] });
  }

  limit(limit: number): QueryBuilder {
    return this.#set({ limit: wholeNumber(limit) });
  }

  range(first: number, last: number): QueryBuilder {
    return this.#set({ offset: wholeNumber(first), limit: wholeNumber(last - first + 1) });
  }

  count(kind: CountKind = 'exact'): QueryBuilder {
    return this.with(prefer({ count: kind }));
  }

  withCount(kind?: CountKind): QueryBuilder {
    return this.count(kind).#set({ isCounted: true });
  }

  select(columns: Columns = '*'): QueryBuilder {
    const isWrite = !readsRows(this.plan);
    const query = isWrite ? this.with(prefer({ return: 'representation' })) : this;
    return query.#set({ ...project(this.plan, columns), read: readRows });
  }

  single(): QueryBuilder {
    return this.with(accept(oneRow)).#set({ read: readRows });
  }

  maybeSingle(): QueryBuilder {
    const { method, path, addedRows = 0, limit = 2 } = this.plan;
    if (addedRows > 1) refuse('maybeSingle() of several rows');
    // The server bounds a function only if it returns a set, which the name does not tell.
    const isLimited = method === 'GET' || path.startsWith('rpc/');
    const bounded = isLimited ? this.limit(Math.min(limit, 2)) : this.with(maxAffected(1));
    return bounded.#set({ read: readMaybe });
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
    return (await this.answer(options)).data;
  }

  // A query is awaited like a promise; it starts when the first one waits.
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
      return this.where(...[makeFilters(...operands)].flat());
    },
  });
}

function wholeNumber(value: number): number {
  return Number.isSafeInteger(value) && value >= 0 ? value : refuse('Not a whole number');
}

/** `undefined` as the check of rows keeps none of an earlier select. */
function project({ project: own, params }: Plan, columns: Columns): Projection {
  const { select, check, ...made } =
    own?.(columns) ?? (typeof columns === 'string' ? { select: encodeSelect(columns), params: [] } : columns);
  return { select, params: [...params, ...made.params], check };
}

/** A table or view, of which `plan` holds the path. */
export function createTable(plan: Plan, runner: Runner) {
  const start = (change: Partial<Plan>) => new QueryBuilder({ ...plan, ...change }, runner);
  const add =
    (isUpsert: boolean) =>
    (rows: unknown, { onConflict = [], ignoreDuplicates, missing }: UpsertOptions = {}) => {
      const names = new Set(Array.isArray(rows) ? rows.flatMap(Object.keys) : []);
      return start({
        method: 'POST',
        params: [
          ['columns', Array.from(names, quote).join() || undefined],
          ['on_conflict', [onConflict].flat().map(encodeColumn).join() || undefined],
        ],
        body: encodeJson(rows),
        addedRows: Array.isArray(rows) ? rows.length : 1,
        read: readNothing,
        prefer: {
          resolution: isUpsert ? `${ignoreDuplicates ? 'ignore' : 'merge'}-duplicates` : undefined,
          missing,
        },
      });
    };
  return {
    select: (columns: Columns = '*') => start({ ...project(plan, columns), read: readRows }),
    count: (kind: CountKind = 'exact') => start({ method: 'HEAD', prefer: { count: kind }, read: readCount }),
    insert: add(false),
    upsert: add(true),
    update: (body: unknown) => start({ method: 'PATCH', body: encodeJson(body), read: readAffected }),
    delete: () => start({ method: 'DELETE', prefer: { count: 'exact' }, read: readAffected }),
  };
}

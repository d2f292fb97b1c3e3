import { and, compare, eq, type Filter, is, not, or } from '../query/filter.ts';
import type { Model } from '../types/model.ts';
import { by as encodeOrder } from '../query/order.ts';
import { type Plan, readsRows } from '../query/plan.ts';
import type { ExecuteOptions, RowsQuery } from '../query/query.ts';
import { refuse } from '../query/quoting.ts';

export interface PageKey<Name extends string = string> {
  readonly column: Name;
  /** Default true. */
  readonly ascending?: boolean;
  /** Default: as PostgreSQL has it, last when ascending and first when descending. */
  readonly nulls?: 'first' | 'last';
}

export interface PagesOptions<Name extends string = string> extends ExecuteOptions {
  /** The columns to order and continue by. The last of them must be unique and never null. */
  readonly by: readonly (PageKey<Name> | Name)[];
  /** Rows per page. Default 500. */
  readonly size?: number;
}

/**
 * Pages of all rows of a query, each asked for by the last row of the one before. Unlike offsets, this neither
 * skips nor repeats rows when others come and go, and each page costs the same. The query must select the columns to
 * continue by, under their own names.
 *
 * The server's cap on rows may make pages smaller; what ends the iteration is a page that is shorter than the ones before.
 *
 * @throws {RestError} `invalid-query` for a write, for an order, limit, range or count of the query's own, if a row lacks a column to
 * continue by, and if the rows after a row begin with that row, as a numeric has it that JSON has rounded: select it as text.
 * @example
 * ```ts
 * import { createSupabaseClients } from 'supabase-protocol-clients';
 * import { pages } from 'supabase-protocol-clients/rest-client/long-reads';
 *
 * const { rest } = createSupabaseClients<Database>({ url, apiKey });
 * const query = rest.from('notifications').select('id, created_at');
 * const newestFirst = { column: 'created_at', ascending: false } as const;
 * for await (const rows of pages(query, { by: [newestFirst, 'id'], size: 1000 })) console.log(rows.length);
 * ```
 */
export async function* pages<M extends Model, Item extends object>(
  query: RowsQuery<M, Item, Item[]>,
  { by, size = 500, ...options }: PagesOptions<keyof Item & keyof M['Row'] & string>,
): AsyncGenerator<Item[], void, undefined> {
  refuseCut('pages', query.plan);
  const keys = by.map((key): PageKey => (typeof key === 'string' ? { column: key } : key));
  const ordered = query.limit(size).with((plan) => ({
    ...plan,
    order: keys.map((key) => encodeOrder(key.column, key)),
  }));
  let after: Filter<never> | null = null;
  let previous = 0;
  do {
    const rows: Item[] = await (after ? ordered.where(after) : ordered).execute(options);
    const last = rows.at(-1);
    const next = last ? filterAfter(last, keys) : null;
    if (next && JSON.stringify(next) === JSON.stringify(after)) {
      refuse('Pages need numeric as text');
    }
    if (last) yield rows;
    after = rows.length >= previous ? next : null;
    previous = rows.length;
  } while (after);
}

/** Refuses a query that writes, or has what several requests cannot keep. */
export function refuseCut(name: string, plan: Plan): void {
  const { order, limit, offset, prefer } = plan;
  if (!readsRows(plan) || (order[0] ?? limit ?? offset ?? prefer['count']) !== undefined) {
    refuse(`${name}() cannot write, order, limit or count`);
  }
}

/** The rows that come after a row in the order of the keys; null if none can. */
export function filterAfter(row: object, [key, ...others]: readonly PageKey[]): Filter<never> | null {
  if (!key) return null;
  const { column, ascending = true, nulls = ascending ? 'last' : 'first' } = key;
  const value = (row as Readonly<Record<string, unknown>>)[column];
  const isRounded = value instanceof Date || (Number.isInteger(value) && !Number.isSafeInteger(value));
  if (value === undefined || isRounded) {
    refuse(`Pages need "${column}" in each row, dates and int8 as text`);
  }
  const isNull: Filter = is(column, null);
  const terms: Filter[] = [];
  if (value !== null) terms.push(compare(ascending ? 'gt' : 'lt', column, value));
  // The last key is never null.
  if (others.length && (value === null) === (nulls === 'first'))
    terms.push(value === null ? not(isNull) : isNull);
  const after = filterAfter(row, others);
  if (after) terms.push(and(eq(column, value), after));
  return terms.length ? (or(...terms) as Filter<never>) : null;
}

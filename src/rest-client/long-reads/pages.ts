import { CallUser } from '../../platform/call-user.ts';
import { and, compare, eq, type Filter, is, not, or } from '../query/filter.ts';
import type { Model } from '../types/model.ts';
import { refuseCut } from '../query/plan.ts';
import { by as encodeOrder, type ExecuteOptions, type RowsQuery } from '../query/query.ts';
import { refuse, requireWhole } from '../query/quoting.ts';

/** A column by which pages are ordered and continued. */
export interface PageKey<Name extends string = string> {
  /** Name of the column. */
  readonly column: Name;
  /** Smallest first. Default true. */
  readonly ascending?: boolean;
  /** Where rows with null come. Default: PostgreSQL's own, last when ascending and first when descending. */
  readonly nulls?: 'first' | 'last';
}

/** How rows are divided into pages. */
export interface PagesOptions<Name extends string = string> extends ExecuteOptions {
  /** The columns to order and continue by. The last of them must be unique and never null. */
  readonly by: readonly (PageKey<Name> | Name)[];
  /** Rows per page. Default 500. */
  readonly size?: number;
}

/**
 * Reads all rows of a query in pages, each of which continues after the last row of the previous one (keyset pagination). Unlike
 * offsets, this neither skips nor repeats rows when other rows are added or deleted, and each page costs the same. The query has to
 * select the columns to continue by, under their own names.
 *
 * The server's limit of rows may make pages smaller; a page that is shorter than the ones before ends the iteration.
 *
 * @throws {RestError} `user-changed` when another user signs in between two pages; `invalid-query` for a write; for an order, limit, range or count of the query's own; for a row that lacks a
 * column to continue by; and for a numeric column that JSON has rounded, after which the same row would come again: select it as
 * text.
 * @example
 * ```ts
 * import { createSupabaseClients } from 'supabase-protocol-clients';
 * import { pages } from 'supabase-protocol-clients/rest-client';
 *
 * const { rest } = createSupabaseClients<Database>({ url, apiKey });
 * const query = rest.from('notifications').select('id, created_at');
 * const newestFirst = { column: 'created_at', ascending: false } as const;
 * for await (const rows of pages(query, { by: [newestFirst, 'id'], size: 1000 })) console.log(rows.length);
 * ```
 */
export async function* pages<M extends Model, Item extends object>(
  query: RowsQuery<M, Item>,
  { by, size = 500, user = new CallUser(), ...options }: PagesOptions<keyof Item & keyof M['Row'] & string>,
): AsyncGenerator<Item[], void, undefined> {
  refuseCut('pages', query.plan);
  requireWhole(size, 1);
  const keys = by.map((key): PageKey => (typeof key === 'string' ? { column: key } : key));
  const ordered = query.limit(size).with((plan) => ({
    ...plan,
    order: keys.map((key) => encodeOrder(key.column, key)),
  }));
  let after: Filter<never> | null = null;
  let previous = 0;
  do {
    const rows: Item[] = await (after ? ordered.where(after) : ordered).execute({ ...options, user });
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

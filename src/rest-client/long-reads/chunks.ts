import { CallUser } from '../../platform/call-user.ts';
import type { Filter } from '../query/filter.ts';
import type { Model } from '../types/model.ts';
import { refuseCut } from '../query/plan.ts';
import type { ExecuteOptions, RowsQuery } from '../query/query.ts';
import { refuse, requireWhole } from '../query/quoting.ts';

/** How a long list is divided. */
export interface ChunksOptions extends ExecuteOptions {
  /** Values of the list per request. Default 100. */
  readonly size?: number;
}

/**
 * Executes a query whose `in` list is too long for one URL in several requests, one after another, each with a part of the longest
 * list. The rows are in the order of the parts. A part whose rows the server's limit cuts is divided and read again. Each part of
 * an update or a delete is a separate transaction: when one fails, those before it stay written.
 *
 * @throws {RestError} `user-changed` when another user signs in between two parts; `invalid-query` for an insert, for an order, limit, range, count or number of affected rows, which parts cannot
 * keep, and if one value alone has as many rows as the server sends at most.
 */
export async function inChunks<M extends Model, Item>(
  query: RowsQuery<M, Item>,
  { size = 100, user = new CallUser(), ...options }: ChunksOptions = {},
): Promise<Item[]> {
  const { plan } = query;
  refuseCut('inChunks', plan, plan.method === 'PATCH' || plan.method === 'DELETE');
  requireWhole(size, 1);
  const [longest] = plan.filters.filter(isList).sort((a, b) => b.operand.length - a.operand.length);
  // A value in two parts would yield its rows twice.
  const values = [...new Set(longest?.operand)];
  let rows: Item[] = [];
  let start = 0;
  do {
    const operand = values.slice(start, start + size);
    const part = query.with((whole) => ({
      ...whole,
      filters: whole.filters.map((filter) => (filter === longest ? { ...filter, operand } : filter)),
    }));
    const { data, truncated } = await part.response({ ...options, user });
    if (!truncated) {
      rows = rows.concat(data);
      start += size;
    } else if (operand.length > 1) size = Math.ceil(operand.length / 2);
    else refuse('Too many rows of one value: see pages()');
  } while (start < values.length);
  return rows;
}

const isList = (filter: Filter): filter is Filter & { readonly operand: readonly string[] } =>
  !filter.not && Array.isArray(filter.operand);

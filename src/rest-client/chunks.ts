import type { Filter } from './filter.ts';
import type { Model } from './model.ts';
import type { ExecuteOptions, RowsQuery } from './query.ts';
import { refuse } from './quoting.ts';

export interface ChunksOptions extends ExecuteOptions {
  /** Values of the list per request. Default 100. */
  readonly size?: number;
}

/**
 * Executes a read whose `in` list is too long for one URL: in several requests, each with a part of its longest list, one
 * after another. The rows come in the order of the list's parts.
 *
 * @throws {RestError} `invalid-query` for a write, and for an order, limit, range or count, which parts cannot keep.
 */
export async function inChunks<M extends Model, Item>(
  query: RowsQuery<M, Item, Item[]>,
  { size = 100, ...options }: ChunksOptions = {},
): Promise<Item[]> {
  const { method, filters, order, limit, offset, prefer } = query.plan;
  if (method !== 'GET' || (order[0] ?? limit ?? offset ?? prefer['count']) !== undefined) {
    refuse('inChunks() cannot write, order, limit or count');
  }
  const [longest] = filters.filter(isList).sort((a, b) => b.operand.length - a.operand.length);
  const values = longest?.operand ?? [];
  const rows: Item[] = [];
  let start = 0;
  do {
    const operand = values.slice(start, start + size);
    const part = query.with((plan) => ({
      ...plan,
      filters: plan.filters.map((filter) => (filter === longest ? { ...filter, operand } : filter)),
    }));
    rows.push(...(await part.execute(options)));
    start += size;
  } while (start < values.length);
  return rows;
}

const isList = (filter: Filter): filter is Filter & { readonly operand: readonly string[] } =>
  !filter.not && Array.isArray(filter.operand);

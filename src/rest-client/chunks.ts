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
  if (method !== 'GET' || order.length || (limit ?? offset ?? prefer['count']) !== undefined) {
    refuse('Only a read without order, limit, range and count can be split');
  }
  const longest = [...filters].sort((a, b) => listOf(b).length - listOf(a).length)[0]; // oxlint-disable-line unicorn/no-array-sort
  const values = listOf(longest);
  const rows: Item[] = [];
  for (let start = 0; start === 0 || start < values.length; start += size) {
    const chunk = values.slice(start, start + size);
    const part = query.with((plan) => ({
      ...plan,
      filters: plan.filters.map((filter) => (filter === longest ? { ...filter, operand: chunk } : filter)),
    }));
    rows.push(...(await part.execute(options)));
  }
  return rows;
}

function listOf(filter: Filter | undefined): readonly string[] {
  return filter && !filter.not && Array.isArray(filter.operand) ? (filter.operand as readonly string[]) : [];
}

import { RealtimeError } from '../errors.ts';
import type { ChangeBinding } from '../changes/change-queue.ts';
import type { LivePlan } from './live-source.ts';

/** The operators that a subscription has evaluated since its first version. */
const operators = new Set(['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in']);

/**
 * For callers without types.
 *
 * @throws {RealtimeError} `invalid-options`
 */
export function checkQueryAndKey(query: unknown, key: unknown): void {
  if (!('plan' in Object(query)))
    throw new RealtimeError('invalid-options', '`query` has to be a query of the REST client');
  if (![key].flat().every((column) => typeof column === 'string'))
    throw new RealtimeError('invalid-options', '`key` has to name the columns of the primary key');
}

/**
 * The subscription that delivers the changes of a query's rows.
 *
 * @param table the table whose changes are received; default: the query's table.
 * @param immutableColumns columns whose conditions the server may test for each change.
 * @throws {RealtimeError} `invalid-options`
 */
export function subscriptionOf(
  plan: LivePlan,
  key: readonly string[],
  table: string | undefined,
  immutableColumns: readonly string[] = [],
): ChangeBinding {
  if (table === undefined && plan.path.startsWith('rpc/'))
    throw new RealtimeError('invalid-options', 'A live query of a function needs `table`');
  const filter = immutableColumns.flatMap((column) => filtersOf(plan, column)).join();
  return {
    event: '*',
    schema: plan.schema ?? 'public',
    table: table ?? decodeURIComponent(plan.path),
    ...(filter && { filter }),
    primaryKey: key,
  };
}

function filtersOf({ filters }: LivePlan, column: string): readonly string[] {
  const own = filters.filter((filter) => filter.column === column);
  if (own.length === 0)
    throw new RealtimeError(
      'invalid-options',
      `The query has no condition on "${column}" (immutableColumns)`,
    );
  return own.map(({ not: isNegated, operator, operand = '' }) => {
    if (isNegated || !operators.has(operator))
      throw new RealtimeError('invalid-options', `A subscription cannot test the condition on "${column}"`);
    return `${column}=${operator}.${typeof operand === 'string' ? quoteIfNeeded(operand) : `(${operand.join()})`}`;
  });
}

/** A value that could be taken for the end of the filter. */
const quoteIfNeeded = (value: string) =>
  /^[^\s,()"\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;

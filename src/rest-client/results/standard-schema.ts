import { RestError } from '../errors.ts';
import { issuePath, type SchemaResult, type StandardSchema } from '../../platform/standard-schema.ts';
import type { Model } from '../types/model.ts';
import type { RowCheck } from '../query/plan.ts';
import type { RowsQuery, YieldName } from '../query/query.ts';

/** Which rows are validated; `first`: only the first row of each response. */
export type Validate = 'all' | 'first' | 'off';

/**
 * Validates the rows of a query one by one; they become the schema's output.
 *
 * @throws {RestError} `invalid-row` when the query is executed. The message names the row and the paths, never the values; the
 * schema's issues are the `cause`.
 */
export function parsed<M extends Model, Item, Y extends YieldName, T>(
  query: RowsQuery<M, Item, Y>,
  schema: StandardSchema<unknown, T>,
): RowsQuery<M, T, Y> {
  const check = checkWith(schema);
  return query.with((plan) => ({ ...plan, check })) as unknown as RowsQuery<M, T, Y>;
}

/**
 * A check by a schema.
 *
 * @param path the keys that lead to the value in the row.
 * @throws {RestError} `invalid-row`. The message names the row and the paths, never the values, which some libraries quote: the
 * issues are the `cause`.
 */
export function checkWith(schema: StandardSchema, path: readonly string[] = []): RowCheck {
  return (value, index) => {
    const unwrap = (result: SchemaResult<unknown>): unknown => {
      if (!result.issues) return result.value;
      const paths = result.issues.map((issue) => [...path, issuePath(issue)].filter(Boolean).join('.'));
      throw new RestError('invalid-row', `Row ${index} is invalid: ${paths.join()}`, {
        cause: result.issues,
      });
    };
    const result = schema['~standard'].validate(value);
    return result instanceof Promise ? result.then(unwrap) : unwrap(result);
  };
}

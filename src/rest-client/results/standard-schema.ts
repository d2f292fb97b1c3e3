import { RestError } from '../errors.ts';
import { issuePath, type SchemaResult, type StandardSchema } from '../../platform/standard-schema.ts';
import type { Model } from '../types/model.ts';
import type { RowCheck } from '../query/plan.ts';
import type { Counted, RowsQuery } from '../query/query.ts';

/** Which rows are validated: all, the first of an answer, or none. */
export type Validate = 'all' | 'first' | 'off';

type Replaced<Data, Item, T> = Data extends readonly Item[]
  ? T[]
  : Data extends Counted<infer D>
    ? Counted<Replaced<D, Item, T>>
    : T | Extract<Data, null>;

/**
 * A query whose rows are validated one by one and become what the schema makes of them.
 *
 * @throws {RestError} `invalid-row` when it is executed, naming the row and the paths, never the values; what the schema says of
 * them is the `cause`.
 */
export function parsed<M extends Model, Item, Data, T>(
  query: RowsQuery<M, Item, Data>,
  schema: StandardSchema<unknown, T>,
): RowsQuery<M, T, Replaced<Data, Item, T>> {
  const check = checkWith(schema);
  return query.with((plan) => ({ ...plan, check })) as unknown as RowsQuery<M, T, Replaced<Data, Item, T>>;
}

/**
 * @param path where in the row the value is.
 * @throws {RestError} `invalid-row`, naming the row and the paths, never the values, which some libraries quote: their issues are
 * the `cause`.
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

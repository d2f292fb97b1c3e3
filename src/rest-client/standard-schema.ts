import { RestError } from './errors.ts';
import type { RowCheck } from './plan.ts';

/** What is used of Standard Schema v1 (standardschema.dev): zod, valibot and arktype schemas all fit. */
export interface StandardSchema<out Input = unknown, out Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Which rows are validated: all, the first of an answer, or none. */
export type Validate = 'all' | 'first' | 'off';

/** @throws {RestError} `invalid-row`, naming the row and the paths, never the values. */
export function checkWith(schema: StandardSchema): RowCheck {
  return (row, index) => {
    const result = schema['~standard'].validate(row);
    return result instanceof Promise
      ? result.then((settled) => unwrap(settled, index))
      : unwrap(result, index);
  };
}

function unwrap(result: SchemaResult<unknown>, index: number): unknown {
  if (!result.issues) return result.value;
  const list = result.issues.map(({ message, path = [] }) => {
    const keys = path.map((key) => String(typeof key === 'object' ? key.key : key));
    return `${keys.join('.') || 'row'}: ${message}`;
  });
  throw new RestError('invalid-row', `Row ${index} is not what its schema says: ${list.join('; ')}`, {
    details: result.issues,
  });
}

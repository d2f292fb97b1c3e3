import { RealtimeError } from '../errors.ts';

/** A Standard Schema (https://standardschema.dev, version 1) with synchronous validation. */
export interface RowSchema<Row> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => RowResult<Row> | Promise<RowResult<Row>>;
  };
}

type RowResult<Row> =
  | { readonly value: Row; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/**
 * Creates the `parseRow` of a binding from a Standard Schema (https://standardschema.dev).
 *
 * @returns a function that throws {@link RealtimeError} `invalid-row`, whose message lists the issues but not the row.
 */
export function createRowParser<Row>(schema: RowSchema<Row>): (record: unknown) => Row {
  return (record) => parseRow(schema, record);
}

function parseRow<Row>(schema: RowSchema<Row>, record: unknown): Row {
  const result = schema['~standard'].validate(record);
  if (result instanceof Promise)
    throw new RealtimeError('invalid-row', 'A row schema must not be asynchronous');
  if (result.issues)
    throw new RealtimeError('invalid-row', result.issues.map(({ message }) => message).join('; '));
  return result.value;
}

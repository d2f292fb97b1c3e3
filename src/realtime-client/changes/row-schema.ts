import { RealtimeError } from '../errors.ts';

/** The part of a Standard Schema (version 1) that validates synchronously. */
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
 * Makes the `parseRow` of a binding from a Standard Schema (https://standardschema.dev). It throws a RealtimeError
 * `invalid_row`, whose message has the issues and never the row.
 */
export function createRowParser<Row>(schema: RowSchema<Row>): (record: unknown) => Row {
  return (record) => parseRow(schema, record);
}

function parseRow<Row>(schema: RowSchema<Row>, record: unknown): Row {
  const result = schema['~standard'].validate(record);
  if (result instanceof Promise)
    throw new RealtimeError('invalid_row', 'A row schema must not be asynchronous');
  if (result.issues)
    throw new RealtimeError('invalid_row', result.issues.map(({ message }) => message).join('; '));
  return result.value;
}

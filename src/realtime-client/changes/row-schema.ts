import type { StandardSchema } from '../../platform/standard-schema.ts';
import { RealtimeError, type RealtimeErrorCode } from '../errors.ts';

/**
 * Creates the `parseRow` of a binding from a Standard Schema (https://standardschema.dev).
 *
 * @returns a function that throws {@link RealtimeError} `invalid-row`, whose message lists the issues but not the row.
 */
export function createRowParser<Row>(schema: StandardSchema<unknown, Row>): (record: unknown) => Row {
  return (record) => validate(schema, record, 'invalid-row');
}

/** @throws {RealtimeError} `code`, if the value is invalid or the schema is asynchronous. */
export function validate<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
  code: RealtimeErrorCode,
): Output {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new RealtimeError(code, 'The schema must not be asynchronous');
  if (result.issues) throw new RealtimeError(code, result.issues.map(({ message }) => message).join('; '));
  return result.value;
}

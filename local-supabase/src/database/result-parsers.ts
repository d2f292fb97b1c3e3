import { types } from '@electric-sql/pglite';

/**
 * The parsers of result values: timestamps become `Date`, `date` stays text, json is parsed, int8 becomes a number, or
 * a bigint if a number would lose digits.
 */
export const resultParsers = {
  [types.TIMESTAMPTZ]: (value: string) => new Date(value),
  [types.TIMESTAMP]: (value: string) => new Date(`${value}Z`),
  [types.DATE]: (value: string) => value,
  [types.JSON]: (value: string): unknown => JSON.parse(value),
  [types.JSONB]: (value: string): unknown => JSON.parse(value),
  [types.INT8]: (value: string) => (Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value)),
  [types.NUMERIC]: (value: string) => value,
};

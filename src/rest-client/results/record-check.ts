import { RestError } from '../errors.ts';
import type { RowCheck } from '../query/plan.ts';
import type { Validate } from './standard-schema.ts';

/** How one column of a row, or its related rows, are decoded and validated. */
export interface ColumnCheck {
  /** The name in the row. */
  readonly key: string;
  /** Decodes or validates the value. */
  readonly check: RowCheck;
  /** Whether the check decodes, and so runs even where nothing is validated. */
  readonly isDecoder: boolean;
  /** Whether null needs no check: there is no related row, or nothing to decode. */
  readonly mayMiss?: boolean;
  /** Whether the value is a list: of related rows, or of a spread column's values. */
  readonly isMany?: boolean;
}

/** A check of whole rows; undefined if there is nothing to do. Rows are changed in place; they were parsed for this caller. */
export function checkRecord(checks: readonly ColumnCheck[], validate: Validate): RowCheck | undefined {
  const decoders = checks.filter(({ isDecoder }) => isDecoder);
  if (validate === 'off' && !decoders.length) return undefined;
  return (row, index) => {
    if (row === null || typeof row !== 'object') {
      throw new RestError('invalid-row', `Row ${index} is not a record`);
    }
    const record = row as Record<string, unknown>;
    const isValidated = validate === 'all' || (validate === 'first' && index === 0);
    const pending: Promise<void>[] = [];
    for (const column of isValidated ? checks : decoders) {
      const { key } = column;
      const settle = (settled: unknown) => {
        if (key in record || settled !== null) record[key] = settled;
      };
      // A column that `stripNulls()` left out is checked as null, and stays out.
      const value = checkColumn(column, record[key] ?? null, index);
      if (value instanceof Promise) pending.push(value.then(settle));
      else settle(value);
    }
    return pending.length ? Promise.all(pending).then(() => record) : record;
  };
}

function checkColumn(column: ColumnCheck, value: unknown, index: number): unknown {
  const { check, mayMiss, isMany } = column;
  if (mayMiss && (value ?? null) === null) return value;
  if (!isMany || !Array.isArray(value)) return check(value, index);
  const items = value.map((item: unknown) => checkColumn({ ...column, isMany: false }, item, index));
  return items.some((item) => item instanceof Promise) ? Promise.all(items) : items;
}

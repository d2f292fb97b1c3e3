import { RestError } from '../errors.ts';
import type { RowCheck } from '../query/plan.ts';
import type { Validate } from './standard-schema.ts';

/** How one column of a row, or the related rows in it, are decoded and validated. */
export interface ColumnCheck {
  readonly key: string;
  readonly check: RowCheck;
  /** Decodes, and so runs even where nothing is validated. */
  readonly isDecoder: boolean;
  /** Null or nothing is passed on: there is no related row, or nothing to decode. */
  readonly mayMiss?: boolean;
  /** A list: of related rows, or of what they have in a column that is spread. */
  readonly isMany?: boolean;
}

/** A check of whole rows; undefined if nothing is to be done. The rows are changed in place: they are fresh from JSON. */
export function checkRecord(checks: readonly ColumnCheck[], validate: Validate): RowCheck | undefined {
  const decoders = checks.filter(({ isDecoder }) => isDecoder);
  if (validate === 'off' && !decoders.length) return undefined;
  return (row, index) => {
    if (row === null || typeof row !== 'object') {
      throw new RestError('invalid-row', `Row ${index} is no record`);
    }
    const record = row as Record<string, unknown>;
    const isValidated = validate === 'all' || (validate === 'first' && index === 0);
    const pending: Promise<void>[] = [];
    for (const column of isValidated ? checks : decoders) {
      const { key } = column;
      const settle = (settled: unknown) => {
        if (key in record || settled !== null) record[key] = settled;
      };
      // What `stripNulls()` has left out is null, and stays out.
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

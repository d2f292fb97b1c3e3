/** The values that a numeric option accepts, both ends included. */
export interface NumberRange {
  readonly min: number;
  /** Default Infinity. */
  readonly max?: number;
  /** Default false. */
  readonly isWhole?: boolean;
}

/** A time in milliseconds, or Infinity for none. */
export const duration: NumberRange = { min: 0 };
/** The time in milliseconds between two runs, or Infinity for no second one. */
export const interval: NumberRange = { min: 1 };
/** A count of at least 1. */
export const count: NumberRange = { min: 1, isWhole: true };
/** A count of at least 0. */
export const limit: NumberRange = { min: 0, isWhole: true };
/** A number that is sent as JSON, which encodes Infinity as null. */
export const sentLimit: NumberRange = { min: 0, max: Number.MAX_SAFE_INTEGER, isWhole: true };
export const sentCount: NumberRange = { ...sentLimit, min: 1 };

/**
 * Describes the first option outside of its range; null if all are valid. An undefined option has its default. A list
 * needs at least one item, and each item must be in the range.
 */
export function rangeProblem(
  options: object | undefined,
  ranges: Readonly<Record<string, NumberRange>>,
): string | null {
  const values = options as Readonly<Record<string, unknown>> | undefined;
  for (const [name, range] of Object.entries(ranges)) {
    const value = values?.[name];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (value === undefined || (items.length > 0 && items.every((item) => isWithin(item, range)))) continue;
    const { min, max = Infinity, isWhole = false } = range;
    const each = Array.isArray(value) ? 'a list of at least one' : 'a';
    const given = typeof value === 'number' ? value : JSON.stringify(value);
    return `${name} must be ${each} ${isWhole ? 'whole ' : ''}number from ${min} to ${max}, not ${given}`;
  }
  return null;
}

function isWithin(value: unknown, { min, max = Infinity, isWhole = false }: NumberRange): boolean {
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return !isWhole || Number.isInteger(value) || value === Infinity;
}

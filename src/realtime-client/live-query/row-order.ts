/** Which of two rows comes first: negative, 0 or positive; null if only the server knows. */
export type RowOrder = (a: object, b: object) => number | null;

/** A column of an `order` in its wire form, without paths and related columns, because a row may lack their values. */
const plainTerm = /^([A-Za-z_]\w*)\.(asc|desc)(?:\.nulls(first|last))?$/;
/** A date or a time as PostgREST writes it. */
const dateOrTime = /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?)?)([+-]\d\d:\d\d)?$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * The order of a query, evaluated where JavaScript sorts as PostgreSQL does: numbers, booleans, dates, times and UUIDs. Texts
 * are sorted by the collation of the database.
 *
 * @param terms the `order` of a query in its wire form.
 * @returns undefined without terms; null if a term cannot be evaluated.
 */
export function createRowOrder(terms: readonly string[]): RowOrder | null | undefined {
  if (terms.length === 0) return undefined;
  const columns = terms.flatMap((term) => {
    const [found, column = '', direction, nulls = direction === 'asc' ? 'last' : 'first'] =
      plainTerm.exec(term) ?? [];
    return found ? { column, sign: direction === 'asc' ? 1 : -1, nullSign: nulls === 'first' ? -1 : 1 } : [];
  });
  if (columns.length < terms.length) return null;
  return (a, b) => {
    for (const { column, sign, nullSign } of columns) {
      const [one, other] = [valueOf(a, column), valueOf(b, column)];
      if (one === undefined || other === undefined) return null;
      if (one === other) continue;
      if (one === null || other === null) return one === null ? nullSign : -nullSign;
      const result = compareValues(one, other);
      if (result === null) return null;
      if (result !== 0) return result * sign;
    }
    return 0;
  };
}

const valueOf = (row: object, column: string) => (row as Readonly<Record<string, unknown>>)[column];

function compareValues(a: unknown, b: unknown): number | null {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  const isComparable = typeof a === typeof b && /^(?:number|bigint|boolean)$/.test(typeof a);
  if (!isComparable) return null;
  return (a as number) < (b as number) ? -1 : 1;
}

function compareTexts(a: string, b: string): number | null {
  const [[, timeOfA, zoneOfA], [, timeOfB, zoneOfB]] = [dateOrTime.exec(a) ?? [], dateOrTime.exec(b) ?? []];
  if (timeOfA !== undefined && timeOfB !== undefined && zoneOfA === zoneOfB)
    return timeOfA < timeOfB ? -1 : 1;
  return uuid.test(a) && uuid.test(b) ? (a < b ? -1 : 1) : null;
}

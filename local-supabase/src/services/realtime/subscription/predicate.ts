import type { Filter, FilterOperator } from './filters.ts';

/** A compiled filter: SQL over the JSON `r.changed` and, if possible, a text to compare instead. */
export interface Predicate {
  readonly column: string;
  readonly sql: string;
  /** The JSON text that the column must equal; null if only PostgreSQL can decide. */
  readonly equalsJson: string | null;
}

/** Types with a single text form per value. */
const CANONICAL = new Set(['uuid', 'int2', 'int4', 'int8', 'bool', 'text', 'varchar']);

const symbols: Record<Exclude<FilterOperator, 'in' | 'is' | 'isdistinct'>, string> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
};

/** @param canonicalJson the filter's value in the canonical form of its type. */
export function createPredicate(
  filter: Filter,
  type: { readonly type: string; readonly sqlType: string },
  canonicalJson: string | null,
): Predicate {
  const { column, operator, negated } = filter;
  const sql = predicateSql(filter, type.sqlType);
  return {
    column,
    sql: negated ? `(not ${sql})` : sql,
    equalsJson: operator === 'eq' && !negated && CANONICAL.has(type.type) ? canonicalJson : null,
  };
}

function predicateSql({ column, operator, value }: Filter, sqlType: string): string {
  // As on the real server, the JSON value's text is cast; this raises for an array, whose JSON is not an array literal.
  const name = `(r.changed ->> ${quoteLiteral(column)})::${sqlType}`;
  const literal = quoteLiteral(value);
  if (operator === 'in') return `(${name} = any (${literal}::${sqlType}[]))`;
  if (operator === 'is') return `(${name} is ${value})`;
  if (operator === 'isdistinct') return `(${name} is distinct from ${literal}::${sqlType})`;
  return `(${name} ${symbols[operator]} ${literal}::${sqlType})`;
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteLiteral = (value: string): string =>
  `E'${value.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

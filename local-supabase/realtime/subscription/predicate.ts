import type { Filter, FilterOperator } from './filters.ts';

/** A filter made ready for rows: SQL over the alias `r`, and, where text says it all, an answer without SQL. */
export interface Predicate {
  readonly column: string;
  readonly sql: string;
  /** The JSON text that the column must have; null if only PostgreSQL can tell. */
  readonly equalsJson: string | null;
}

/** Types of which equal values always have the same text. */
const CANONICAL = new Set(['uuid', 'int2', 'int4', 'int8', 'bool', 'text', 'varchar']);

const symbols: Partial<Record<FilterOperator, string>> = {
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

/** `canonicalJson` is the filter's value as its type prints it. */
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
  const name = `r.${quoteIdentifier(column)}`;
  const literal = quoteLiteral(value);
  if (operator === 'in') return `(${name} = any (${literal}::${sqlType}[]))`;
  if (operator === 'is') return `(${name} is ${value})`;
  if (operator === 'isdistinct') return `(${name} is distinct from ${literal}::${sqlType})`;
  return `(${name} ${symbols[operator] ?? '='} ${literal}::${sqlType})`;
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteLiteral = (value: string): string =>
  `${value.includes('\\') ? ' E' : ''}'${value.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

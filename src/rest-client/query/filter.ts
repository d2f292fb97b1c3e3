import {
  type ColumnPath,
  encodeColumn,
  encodeItem,
  encodeValue,
  expressionKind,
  quote,
  refuse,
} from './quoting.ts';

/**
 * A condition on rows: a comparison, or a tree of them. `P` is the union of its pairs `[column, value]`, by which the compiler
 * checks that it fits the rows of a query.
 */
export interface Filter<out P = unknown> {
  /** Whether the condition is negated. Default false. */
  readonly not?: boolean;
  /** The column in its wire form; absent for a tree. */
  readonly column?: string;
  /** A comparison's operator, or `and` / `or`. */
  readonly operator: string;
  /** The operand in its wire form; a list for `in` only. */
  readonly operand?: string | readonly string[];
  /** The conditions of a tree. */
  readonly filters?: readonly Filter[];
  /** Present for the type checker only. */
  readonly pair?: P;
}

/** Several operands of one comparison: `eq('status', anyOf('read', 'archived'))`. */
export interface Quantified<out T = unknown> {
  /** Whether any or all of the values must match. */
  readonly [expressionKind]: 'any' | 'all';
  /** What the column is compared with. */
  readonly values: readonly T[];
}

export type Pair<C extends string = string, V = unknown> = readonly [column: C, value: V];

/**
 * A comparison with an operator of PostgREST.
 *
 * @throws {RestError} `invalid-query` for a missing value, which would match other rows.
 */
export function compare(operator: string, column: string | ColumnPath, value: unknown): Filter<never> {
  const { [expressionKind]: quantifier, values } = (value ?? {}) as Partial<Quantified>;
  if (quantifier && operator === 'neq') refuse('neq of several values');
  return {
    column: encodeColumn(column),
    operator: quantifier ? `${operator}(${quantifier})` : operator,
    operand: encodeValue(quantifier ? values : value),
  };
}

/** The column is null, true, false or unknown. */
export function is<const C extends string>(
  column: C | ColumnPath<C>,
  value: null | boolean | 'unknown' | 'not_null',
): Filter<Pair<C, never>> {
  return {
    column: encodeColumn(column),
    operator: 'is',
    operand: value === null ? 'null' : encodeValue(value),
  };
}

/** Equal; `null` matches null. */
export function eq<const C extends string, const V>(column: C | ColumnPath<C>, value: V): Filter<Pair<C, V>> {
  return value === null ? is(column, null) : compare('eq', column, value);
}

/** Not equal; `null` matches what is not null. As in SQL, a row whose column is null does not match. */
export function neq<const C extends string, const V>(
  column: C | ColumnPath<C>,
  value: V extends Quantified ? never : V,
): Filter<Pair<C, V>> {
  return value === null ? not(is(column, null)) : compare('neq', column, value);
}

/** Equal to one of the values; `null` among them matches null, and no values match no row. The method is `.in()`. */
export function oneOf<const C extends string, const V>(
  column: C | ColumnPath<C>,
  values: readonly V[],
): Filter<Pair<C, V>> {
  const some = new Set<unknown>(values);
  const isNullToo = some.delete(null);
  const list: Filter<Pair<C, V>> = {
    column: encodeColumn(column),
    operator: 'in',
    operand: Array.from(some, encodeItem),
  };
  return isNullToo ? or(list, is(column, null)) : list;
}

/**
 * True for each row of any table or view: PostgreSQL reads `row.pg_typeof` as a call of that function, which returns the row's type.
 * Projects of the platform refuse an update or delete without a filter (pg_safeupdate), and PostgREST has no filter without a column.
 */
export const everyRow: Filter<never> = { column: 'pg_typeof', operator: 'is', operand: 'null', not: true };

/** Negates a condition. As in SQL, a comparison with null is unknown, and so is its negation: neither matches. */
export function not<P>(filter: Filter<P>): Filter<P> {
  return { ...filter, not: !filter.not };
}

type PairIn<F> = F extends Filter<infer P> ? P : never;

/** At least one of the conditions. */
export function or<const F extends readonly Filter[]>(...filters: F): Filter<PairIn<F[number]>> {
  return tree('or', filters);
}

/** All of the conditions. */
export function and<const F extends readonly Filter[]>(...filters: F): Filter<PairIn<F[number]>> {
  return tree('and', filters);
}

function tree(operator: string, filters: readonly Filter[]): Filter<never> {
  return filters.length ? { operator, filters } : refuse(`${operator}() needs a condition`);
}

/**
 * A filter as one parameter of the query string, not yet percent-encoded.
 *
 * @param path where the rows are embedded, with its dot (`author.`); default: the rows themselves.
 * @param isNested within a tree, where a character of a value could end it.
 */
export function encodeFilter(
  filter: Filter,
  path = '',
  isNested = false,
): readonly [key: string, value: string] {
  const { not: isNegated, column = '', filters } = filter;
  // The server reads a list of one empty text as an empty list.
  const { operator, operand = '' } = isListOfOneEmptyText(filter) ? { operator: 'eq' } : filter;
  const prefix = `${isNegated ? 'not.' : ''}${operator}`;
  if (filters) {
    const terms = filters.map((term) => encodeFilter(term, '', true).join(term.filters ? '' : '.'));
    return [path + prefix, `(${terms.join()})`];
  }
  if (typeof operand !== 'string') return [path + column, `${prefix}.(${operand.join()})`];
  const isBare = !isNested || /^[^\s,()"\\{}]+$/.test(operand);
  return [path + column, `${prefix}.${isBare ? operand : quote(operand)}`];
}

function isListOfOneEmptyText({ operator, operand }: Filter): boolean {
  return operator === 'in' && Array.isArray(operand) && operand.length === 1 && operand[0] === '""';
}

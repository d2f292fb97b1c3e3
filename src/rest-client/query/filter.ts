import { type ColumnPath, encodeColumn, encodeItem, encodeValue, part, quote, refuse } from './quoting.ts';

/**
 * A condition on rows: a comparison, or a tree of them. `P` is the pairs `[column, value]` that it uses, by which a
 * query checks that it fits its rows.
 */
export interface Filter<out P = unknown> {
  readonly not?: boolean;
  /** The column, as it goes over the wire; absent for a tree. */
  readonly column?: string;
  /** A comparison's operator, or `and` / `or`. */
  readonly operator: string;
  /** What to compare with; a list is for `in` alone. */
  readonly operand?: string | readonly string[];
  readonly filters?: readonly Filter[];
  /** Only for the type checker. */
  readonly pair?: P;
}

/** An operand that stands for several: `eq('status', anyOf('read', 'archived'))`. */
export interface Quantified<out T = unknown> {
  readonly [part]: 'any' | 'all';
  readonly values: readonly T[];
}

export type Pair<C extends string = string, V = unknown> = readonly [column: C, value: V];

/** A comparison with an operator of PostgREST. A missing value is refused: it would match the wrong rows. */
export function compare(operator: string, column: string | ColumnPath, value: unknown): Filter<never> {
  const { [part]: quantifier, values } = (value ?? {}) as Partial<Quantified>;
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

/** Equal; `null` asks whether the column is null. */
export function eq<const C extends string, const V>(column: C | ColumnPath<C>, value: V): Filter<Pair<C, V>> {
  return value === null ? is(column, null) : compare('eq', column, value);
}

/** Not equal; `null` asks whether the column is not null. As in SQL, a row whose column is null does not match. */
export function neq<const C extends string, const V>(
  column: C | ColumnPath<C>,
  value: V extends Quantified ? never : V,
): Filter<Pair<C, V>> {
  return value === null ? not(is(column, null)) : compare('neq', column, value);
}

/**
 * Equal to one of the values; `null` among them matches null, and no values match nothing.
 */
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

/** The opposite of a condition. As in SQL, what is unknown because of a null stays unknown, and does not match. */
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
  { not: isNegated, column = '', operator, operand = '', filters }: Filter,
  path = '',
  isNested = false,
): readonly [key: string, value: string] {
  // The server reads a list of one empty text as a list of none.
  if (`${operator}${String(operand)}` === 'in""') [operator, operand] = ['eq', ''];
  const prefix = `${isNegated ? 'not.' : ''}${operator}`;
  if (filters) {
    const terms = filters.map((filter) => encodeFilter(filter, '', true).join(filter.filters ? '' : '.'));
    return [path + prefix, `(${terms.join()})`];
  }
  if (typeof operand !== 'string') return [path + column, `${prefix}.(${operand.join()})`];
  const isBare = !isNested || /^[^\s,()"\\{}]+$/.test(operand);
  return [path + column, `${prefix}.${isBare ? operand : quote(operand)}`];
}

import { compare, eq, type Filter, is, not, type Pair, type Quantified } from './filter.ts';
import {
  type ColumnPath,
  encodeJsonValue,
  encodeName,
  encodeValue,
  expressionKind,
  quote,
  refuse,
} from './quoting.ts';

type Col<C extends string> = C | ColumnPath<C>;

type Quantify = <const T extends {}>(...values: readonly T[]) => Quantified<T>;

/** Null is refused: it equals nothing, and the server would ignore it. */
const quantify =
  (quantifier: 'any' | 'all'): Quantify =>
  (...values) =>
    values.includes(null as never) ? refuse('null equals nothing') : { [expressionKind]: quantifier, values };

/** Any of the values, none of them null: `eq('status', anyOf('read', 'archived'))`, `like('name', anyOf('a%', 'b%'))`. */
export const anyOf: Quantify = quantify('any');

/** All of the values, none of them null: `like('name', allOf('%a%', '%b%'))`. */
export const allOf: Quantify = quantify('all');

type Compare = <const C extends string, const V extends {}>(column: Col<C>, value: V) => Filter<Pair<C, V>>;

const comparison =
  (operator: string) =>
  (column: string | ColumnPath, value: unknown): Filter<never> =>
    compare(operator, column, value);

/** Greater than. */
export const gt: Compare = comparison('gt');
/** Greater than or equal. */
export const gte: Compare = comparison('gte');
/** Less than. */
export const lt: Compare = comparison('lt');
/** Less than or equal. */
export const lte: Compare = comparison('lte');

/** Differs; null is compared like any other value, so the result is never unknown. */
export function isDistinct<const C extends string, const V>(column: Col<C>, value: V): Filter<Pair<C, V>> {
  return value === null ? not(is(column, null)) : compare('isdistinct', column, value);
}

/** Each of the named columns has the value given for it; `null` matches null. */
export function matches<const R extends object>(
  values: R,
): readonly Filter<{ [K in keyof R & string]: Pair<K, R[K]> }[keyof R & string]>[] {
  return Object.entries(values).map(([column, value]) => eq(column, value) as Filter<never>);
}

type Match = <const C extends string>(
  column: Col<C>,
  pattern: string | Quantified<string>,
) => Filter<Pair<C, string>>;

/** A POSIX regular expression of PostgreSQL. */
export const match: Match = comparison('match');
/** As `match`, regardless of case. */
export const imatch: Match = comparison('imatch');
/** `%` matches any text, `_` any character; a backslash escapes either. */
export const like: Match = likeness('like', match);
/** As `like`, regardless of case. */
export const ilike: Match = likeness('ilike', imatch);

/** The server reads `*` in a pattern as `%`, so a pattern that contains one is sent as the equivalent regular expression. */
function likeness(operator: string, regular: Match): Match {
  return (column, pattern) => {
    const { values } = pattern as Partial<Quantified<string>>;
    const text = values?.join('') ?? (pattern as string);
    if (!text.includes('*')) return compare(operator, column, pattern);
    return regular(
      column,
      values ? { ...(pattern as Quantified), values: values.map(toRegular) } : toRegular(text),
    );
  };
}

function toRegular(pattern: string): string {
  // A literal with a Unicode class is expanded whenever the module is parsed, used or not.
  const special = new RegExp(String.raw`[^\p{L}\p{N}\s]`, 'u');
  const body = pattern.replace(/\\(.?)|[^]/gsu, (found, escaped: string | undefined) => {
    const wildcard = { '%': '.*', _: '.' }[found];
    return wildcard ?? (escaped ?? found).replace(special, '\\$&');
  });
  return `^${body}$`;
}

/** The text begins with `text`, taken literally. */
export function startsWith<const C extends string>(column: Col<C>, text: string): Filter<Pair<C, string>> {
  return like(column, `${escapeLike(text)}%`);
}

/** The text holds `text`, taken literally. */
export function includes<const C extends string>(column: Col<C>, text: string): Filter<Pair<C, string>> {
  return like(column, `%${escapeLike(text)}%`);
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

type ContainmentFilter = <const C extends string, const V extends {}>(
  column: Col<C>,
  value: V,
) => Filter<Pair<C, V>>;

/** An array, range or JSON column holds all of the value: a list, a range's text (`[1,3)`), an object. */
export const contains: ContainmentFilter = comparison('cs');
/** An array, range or JSON column lies within the value. */
export const containedBy: ContainmentFilter = comparison('cd');
/** An array or range column has an element in common with the value. */
export const overlaps: ContainmentFilter = comparison('ov');

/** As `contains`, where the column is JSON and the value is a list or any other JSON value. */
export function containsJson<const C extends string>(column: Col<C>, value: unknown): Filter<Pair<C, never>> {
  return compare('cs', column, encodeJsonValue(value));
}

type RangeFilter = <const C extends string>(column: Col<C>, range: string) => Filter<Pair<C, string>>;

/** The range lies wholly to the right of the value. */
export const rangeGt: RangeFilter = comparison('sr');
/** The range does not reach to the left of the value. */
export const rangeGte: RangeFilter = comparison('nxl');
/** The range lies wholly to the left of the value. */
export const rangeLt: RangeFilter = comparison('sl');
/** The range does not reach to the right of the value. */
export const rangeLte: RangeFilter = comparison('nxr');
/** The range touches the value, without a gap and without overlap. */
export const rangeAdjacent: RangeFilter = comparison('adj');

/** A range as text: `rangeOf(1, 3)` is `["1","3")`; null leaves a side open. */
export function rangeOf(
  lower: string | number | bigint | Date | null,
  upper: string | number | bigint | Date | null,
  bounds: '[)' | '[]' | '(]' | '()' = '[)',
): string {
  const side = (bound: typeof lower) => (bound === null ? '' : quote(encodeValue(bound)));
  return `${bounds[0]}${side(lower)},${side(upper)}${bounds[1]}`;
}

/** How a full-text search parses its text. */
export interface TextSearchOptions {
  /** `plainto_tsquery`, `phraseto_tsquery` or `websearch_to_tsquery`. Default: `to_tsquery`. */
  readonly type?: 'plain' | 'phrase' | 'websearch';
  /** Name of the text search configuration, such as `english`. Default: the database's. */
  readonly config?: string;
}

const searchOperators = { plain: 'plfts', phrase: 'phfts', websearch: 'wfts' } as const;

/** Full-text search in a text or tsvector column. */
export function textSearch<const C extends string>(
  column: Col<C>,
  words: string,
  { type, config }: TextSearchOptions = {},
): Filter<Pair<C, never>> {
  if (config && new RegExp(String.raw`[^\p{L}\d_$ ]`, 'u').test(config)) refuse('Not a configuration');
  const operator = type ? searchOperators[type] : 'fts';
  return compare(config ? `${operator}(${config})` : operator, column, words);
}

/** The embedded relation of this name has no rows. */
export function hasNoRelated(name: string): Filter<never> {
  return { column: encodeName(name), operator: 'is', operand: 'null' };
}

/** The embedded relation of this name has rows. */
export function hasRelated(name: string): Filter<never> {
  return not(hasNoRelated(name));
}

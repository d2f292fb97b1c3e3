import type { Filter } from './filter.ts';
import { encodeSelection, type Param, type Projection } from './plan.ts';
import {
  castPositionAtEnd,
  type ColumnPath,
  encodeColumn,
  encodeName,
  expressionKind,
  positionAtEnd,
  refuse,
  type RelatedColumn,
  requireWhole,
} from './quoting.ts';
import { encodeSelectItem, encodeSelect, parseColumn } from './select.ts';

/** Related rows with their conditions, order and limits: what `embed()` makes. */
export interface Embed<
  out S = unknown,
  out Inner extends boolean = boolean,
  out R extends string = string,
  out Hint extends string = string,
  out Filtered extends boolean = boolean,
> {
  readonly [expressionKind]: 'embed';
  /** The selection from the related rows. */
  readonly shape: S;
  /** Conditions, order and limits. */
  readonly options: EmbedOptions;
  /** Present for the type checker only: whether rows without related rows are left out. */
  readonly inner?: Inner;
  /** Present for the type checker only: the relation, if the key in the shape is an alias. */
  readonly source?: R;
  /** Present for the type checker only: the foreign key that is followed. */
  readonly hint?: Hint;
  /** Present for the type checker only: whether conditions may leave out the one related row. */
  readonly filtered?: Filtered;
}

/**
 * Columns and related rows by their names in the row: `true` for the column or relation of that name, a text for another column
 * (`total: 'amount::text'`), a shape for related rows, a key such as `'...author'` to spread them into the row.
 */
export type Shape = { readonly [name: string]: true | string | Shape | Embed | ColumnPath };

/** A select made of a shape. */
export interface Shaped<out S = unknown> extends Projection {
  /** The shape that was given. */
  readonly shape: S;
}

/** Selects by a shape: `select(shape({ id: true, author: { name: true } }))`. */
export function shape<const S extends Shape>(columns: S): Shaped<S> {
  const params: Param[] = [];
  const steps: Step[] = [];
  return {
    select: encodeShape(columns, '', params, steps),
    params,
    shape: columns,
    check: steps.length ? decoderOf(steps) : undefined,
  };
}

/** Conditions, order and limits of related rows. */
export interface EmbedOptions<
  R extends string = string,
  Inner extends boolean = boolean,
  Hint extends string = string,
> {
  /** The relation (or its foreign key), if its key in the shape is an alias. Default: the key. */
  readonly of?: R;
  /** The foreign key to follow where several lead to the relation. Default: the only one. */
  readonly hint?: Hint;
  /** Only rows that have related rows. Default false. */
  readonly inner?: Inner;
  /** Conditions on the related rows, joined by `and`. Default: none. */
  readonly where?: readonly Filter[];
  /** The order of the related rows: `[by('name')]`. Default: the database's. */
  readonly order?: readonly string[];
  /** The maximum number of them per row. Default: all. */
  readonly limit?: number;
  /** How many related rows to skip per row. Default 0. */
  readonly offset?: number;
}

/** Embeds related rows with their conditions, order and limits. */
export function embed<
  const S extends Shape | string,
  const R extends string = string,
  const Inner extends boolean = false,
  const Hint extends string = string,
>(
  columns: S,
  options: EmbedOptions<R, Inner, Hint> & { readonly where: readonly Filter[] },
): Embed<S, Inner, R, Hint, true>;
export function embed<
  const S extends Shape | string,
  const R extends string = string,
  const Inner extends boolean = false,
  const Hint extends string = string,
>(columns: S, options?: EmbedOptions<R, Inner, Hint>): Embed<S, Inner, R, Hint, false>;
export function embed(columns: Shape | string, options: EmbedOptions = {}): Embed {
  for (const rows of [options.limit, options.offset]) if (rows !== undefined) requireWhole(rows);
  return { [expressionKind]: 'embed', shape: columns, options };
}

/**
 * A column of a to-one relation, to order by: `select('id, author(name)').order(relatedColumn('author', 'name'))`. The relation is
 * selected, and has the name of its alias if it has one.
 */
export function relatedColumn<const R extends string, const C extends string>(
  relation: R,
  column: C,
): RelatedColumn<R, C> {
  const wire = encodeColumn(column);
  return columnPath(
    `${encodeName(relation)}(${positionAtEnd.test(wire) ? refuse('Ends in a position') : wire})`,
  );
}

/** The value at a path in a JSON column; a number is a position, a text a key. */
export function json<const C extends string>(
  column: C,
  ...keys: readonly (string | number)[]
): ColumnPath<C> {
  return columnPath(encodeName(column) + keys.map((key) => `->${encodeKey(key)}`).join(''));
}

/** As `json`, the value as text. */
export function jsonText<const C extends string>(
  column: C,
  ...keys: readonly [string | number, ...(string | number)[]]
): ColumnPath<C, string | null> {
  return columnPath(
    `${json(column, ...keys.slice(0, -1)).wire}->>${encodeKey(keys.at(-1) as string | number)}`,
  );
}

const encodeKey = (key: string | number) => (typeof key === 'number' ? key : encodeName(key));

/** An int8 column without loss: selected as text and decoded to a bigint. */
export function asBigint<const C extends string>(column: C): ColumnPath<C, bigint> {
  return columnPath(`${encodeName(column)}::text`, BigInt as (value: unknown) => bigint);
}

/** The number of rows in the group. Aggregates need `db-aggregates-enabled` on the server. */
export const countRows = (): ColumnPath<never, number> => columnPath('count()');
type Aggregate = <const C extends string>(column: C) => ColumnPath<C, number | null>;
const aggregate =
  (name: string): Aggregate =>
  (column) =>
    columnPath(`${encodeColumn(column)}.${name}()`);
/** The sum of a column in the group. */
export const sum: Aggregate = aggregate('sum');
/** The average of a column in the group. */
export const avg: Aggregate = aggregate('avg');
/** The smallest value of a column in the group. */
export const min: Aggregate = aggregate('min');
/** The largest value of a column in the group. */
export const max: Aggregate = aggregate('max');

function columnPath<T>(wire: string, decode?: (value: unknown) => T): ColumnPath<never, T> {
  return { [expressionKind]: 'column', wire, decode };
}

const kindOf = (value: object) => (value as { readonly [expressionKind]?: string })[expressionKind];
export const isEmbed = (value: object): value is Embed => kindOf(value) === 'embed';
export const isColumn = (value: object): value is ColumnPath => kindOf(value) === 'column';

type Decode = (value: unknown) => unknown;
type Step = readonly [key: string, decode: Decode];

/** Encodes a select, and adds its parameters and the steps that decode its rows. */
function encodeShape(columns: Shape, path: string, params: Param[], steps: Step[]): string {
  const encode = ([key, value]: [string, Shape[string]]) => {
    if (value === true) return encodeName(key);
    if (typeof value === 'string') return encodeSelectItem({ ...parseColumn(value), alias: key });
    if (isColumn(value)) {
      if (value.decode) steps.push([key, value.decode]);
      return `${encodeName(key)}:${value.wire}`;
    }
    const spread = key.startsWith('...') ? '...' : '';
    const { shape: inner, options } = isEmbed(value) ? value : embed(value);
    const { of = key.slice(spread.length), hint } = options;
    // Spread rows have no alias.
    const name = spread ? of : key;
    const own = `${path}${encodeName(name)}.`;
    params.push(...encodeSelection(options, own));
    // The columns of spread rows are in the row itself.
    const below = spread ? steps : [];
    const list =
      typeof inner === 'string' ? encodeSelect(inner) : encodeShape(inner as Shape, own, params, below);
    if (!spread && below.length) steps.push([key, decoderOf(below)]);
    const target = `${of === name ? '' : `${encodeName(name)}:`}${encodeName(of)}`;
    // Quotes a hint such as `inner_…`, which the server would read as a kind of join.
    const follow = hint ? `!${encodeName(hint).replace(/^(inner|left).*/, '"$&"')}` : '';
    return `${spread}${target}${follow}${options.inner ? '!inner' : ''}(${castPositionAtEnd(list)})`;
  };
  return Object.entries(columns).map(encode).join();
}

/** Decodes the columns that need it in place; the rows were parsed for this caller. */
function decoderOf(steps: readonly Step[]): Decode {
  return (row) => {
    const record = row as Record<string, unknown>;
    for (const [key, decode] of steps) record[key] = decodeEach(record[key], decode);
    return row;
  };
}

/** A to-many relation is a list; spread, each of its columns is one. */
function decodeEach(value: unknown, decode: Decode): unknown {
  if (Array.isArray(value)) return value.map((item) => decodeEach(item, decode));
  return (value ?? null) === null ? value : decode(value);
}

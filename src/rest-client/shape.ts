import type { Filter } from './filter.ts';
import { encodeSelection, type Param, type Projection } from './plan.ts';
import { type ColumnPath, encodeColumn, encodeName, part } from './quoting.ts';
import { encodeItem, encodeList, parseItem } from './select.ts';

/** Related rows, with what is asked of them beyond their columns. */
export interface Embed<out S = unknown, out Inner extends boolean = boolean, out R extends string = string> {
  readonly [part]: 'embed';
  readonly shape: S;
  readonly options: EmbedOptions;
  /** Only for the type checker. */
  readonly inner?: Inner;
  /** Only for the type checker: the relation, if the key in the shape is an alias. */
  readonly source?: R;
}

/**
 * Columns and related rows by the name that they get: `true` for the column or relation of that name, a text for
 * another column (`total: 'amount::text'`), a shape for related rows, `'...author'` to spread them into the row.
 */
export type Shape = { readonly [name: string]: true | string | Shape | Embed | ColumnPath };

/** A select made of a shape. */
export interface Shaped<out S = unknown> extends Projection {
  readonly shape: S;
}

/** Selects by a shape: `select(shape({ id: true, author: { name: true } }))`. */
export function shape<const S extends Shape>(columns: S): Shaped<S> {
  const params: Param[] = [];
  const [select, check] = encodeShape(columns, '', params);
  return { select, params, shape: columns, check };
}

export interface EmbedOptions<R extends string = string, Inner extends boolean = boolean> {
  /** The relation (or its foreign key), if its key in the shape is an alias. */
  readonly of?: R;
  /** The foreign key to follow where several lead to the relation. */
  readonly hint?: string;
  /** Only rows that have related rows. Default false. */
  readonly inner?: Inner;
  readonly where?: readonly Filter[];
  readonly order?: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
}

/** Embeds related rows with conditions, order and limits of their own. */
export function embed<
  const S extends Shape | '*',
  const R extends string = string,
  const Inner extends boolean = false,
>(columns: S, options: EmbedOptions<R, Inner> = {}): Embed<S, Inner, R> {
  return { [part]: 'embed', shape: columns, options };
}

/** A column of a to-one relation, to order by: `order(relatedColumn('author', 'name'))`. */
export function relatedColumn(relation: string, column: string): ColumnPath<never> {
  return columnPath(`${encodeName(relation)}(${encodeColumn(column)})`);
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
  const last = keys[keys.length - 1] as string | number;
  return columnPath(`${json(column, ...keys.slice(0, -1)).wire}->>${encodeKey(last)}`);
}

const encodeKey = (key: string | number) => (typeof key === 'number' ? String(key) : encodeName(key));

/** An int8 column without loss: asked for as text, decoded to a bigint. */
export function asBigint<const C extends string>(column: C): ColumnPath<C, bigint> {
  return columnPath(`${encodeName(column)}::text`, (value) => BigInt(String(value)));
}

/** How many rows, of those in the same group; needs `db-aggregates-enabled` on the server, as all aggregates do. */
export const countRows = (): ColumnPath<never, number> => columnPath('count()');
type Aggregate = <const C extends string>(column: C) => ColumnPath<C, number | null>;
const aggregate =
  (name: string): Aggregate =>
  (column) =>
    columnPath(`${encodeColumn(column)}.${name}()`);
export const sum: Aggregate = aggregate('sum');
export const avg: Aggregate = aggregate('avg');
export const min: Aggregate = aggregate('min');
export const max: Aggregate = aggregate('max');

function columnPath<T>(wire: string, decode?: (value: unknown) => T): ColumnPath<never, T> {
  return { [part]: 'column', wire, decode };
}

const kindOf = (value: object) => (value as { readonly [part]?: string })[part];
export const isEmbed = (value: object): value is Embed => kindOf(value) === 'embed';
export const isColumn = (value: object): value is ColumnPath => kindOf(value) === 'column';

type Decode = (value: unknown) => unknown;

/** A select, the decoder of its rows, if they need one, and as a side effect the parameters that it brings. */
function encodeShape(
  columns: Shape,
  path: string,
  params: Param[],
): readonly [select: string, decode?: Decode | undefined] {
  const steps: [key: string, decode: Decode][] = [];
  const encode = ([key, value]: [string, Shape[string]]) => {
    if (value === true) return encodeName(key);
    if (typeof value === 'string') return encodeItem({ ...parseItem(`:${value}`), alias: key });
    if (isColumn(value)) {
      if (value.decode) steps.push([key, value.decode]);
      return `${encodeName(key)}:${value.wire}`;
    }
    const spread = key.startsWith('...') ? '...' : '';
    const name = key.slice(spread.length);
    const { shape: inner, options } = isEmbed(value) ? value : embed(value);
    const { of = name, hint } = options;
    const own = `${path}${encodeName(name)}.`;
    params.push(...encodeSelection(options, own));
    const [list, decode] =
      typeof inner === 'string' ? [encodeList(inner)] : encodeShape(inner as Shape, own, params);
    if (decode) steps.push([spread ? '' : key, decode]);
    const target = `${of === name ? '' : `${encodeName(name)}:`}${encodeName(of)}`;
    return `${spread}${target}${hint ? `!${encodeName(hint)}` : ''}${options.inner ? '!inner' : ''}(${list})`;
  };
  const select = Object.entries(columns).map(encode).join();
  return [select, steps.length ? (row) => decodeRow(row, steps) : undefined];
}

/** Decodes the columns that need it, in place: the rows are fresh from JSON. What is spread is in the row itself. */
function decodeRow(row: unknown, steps: readonly [key: string, decode: Decode][]): unknown {
  const record = row as Record<string, unknown>;
  for (const [key, decode] of steps) {
    if (key) record[key] = decodeEach(record[key], decode);
    else decode(row);
  }
  return row;
}

/** To-many relations hold a list, and spread they make one of each column. */
function decodeEach(value: unknown, decode: Decode): unknown {
  if (Array.isArray(value)) return value.map((item) => decodeEach(item, decode));
  return (value ?? null) === null ? value : decode(value);
}

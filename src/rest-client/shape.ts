import { encodeFilter, type Filter } from './filter.ts';
import type { Param, Projection, RowCheck } from './plan.ts';
import { encodeOrder, type OrderOptions } from './order.ts';
import { type ColumnPath, encodeColumn, encodeName, part, quote } from './quoting.ts';
import { encodeCast, encodeList } from './select.ts';

/** Related rows, with what is asked of them beyond their columns. */
export interface Embed<out S = unknown, out Inner extends boolean = boolean, out R extends string = string> {
  readonly [part]: 'embed';
  readonly shape: S;
  readonly relation?: string;
  readonly modifiers: string;
  readonly params: (path: string) => readonly Param[];
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
  const select = encodeShape(columns, '', params);
  return { select, params, shape: columns, check: decoder(columns) };
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
  const { of, hint, inner, where = [], order, limit, offset } = options;
  return {
    [part]: 'embed',
    shape: columns,
    ...(of !== undefined && { relation: of }),
    modifiers: `${hint ? `!${encodeName(hint)}` : ''}${inner ? '!inner' : ''}`,
    params: (path) => [
      ...where.map((filter) => encodeFilter(filter, path)),
      ...(order?.length ? [[`${path}order`, order.join()] as const] : []),
      ...(offset === undefined ? [] : [[`${path}offset`, String(offset)] as const]),
      ...(limit === undefined ? [] : [[`${path}limit`, String(limit)] as const]),
    ],
  };
}

/** An order of embedded rows: `embed({ … }, { order: [by('name'), by('age', { ascending: false })] })`. */
export function by(column: string | ColumnPath, options?: OrderOptions): string {
  return encodeOrder(column, options);
}

/** A column of a to-one relation, to order by: `order(relatedColumn('author', 'name'))`. */
export function relatedColumn(relation: string, column: string): ColumnPath<never> {
  return path(`${encodeName(relation)}(${encodeColumn(column)})`);
}

/** The value at a path in a JSON column; a number is a position, a text a key. */
export function json<const C extends string>(
  column: C,
  ...keys: readonly (string | number)[]
): ColumnPath<C> {
  return path(encodeName(column) + keys.map((key) => `->${encodeKey(key)}`).join(''));
}

/** As `json`, the value as text. */
export function jsonText<const C extends string>(
  column: C,
  ...keys: readonly [string | number, ...(string | number)[]]
): ColumnPath<C, string | null> {
  const last = keys[keys.length - 1] as string | number;
  return path(`${json(column, ...keys.slice(0, -1)).wire}->>${encodeKey(last)}`);
}

const encodeKey = (key: string | number) =>
  typeof key === 'number' ? String(key) : /^-?\d+$/.test(key) ? quote(key) : encodeName(key);

/** An int8 column without loss: asked for as text, decoded to a bigint. */
export function asBigint<const C extends string>(column: C): ColumnPath<C, bigint> {
  return path(`${encodeName(column)}::text`, (value) => BigInt(String(value)));
}

/** How many rows, of those in the same group; needs `db-aggregates-enabled` on the server, as all aggregates do. */
export const countRows = (): ColumnPath<never, number> => path('count()');
type Aggregate = <const C extends string>(column: C) => ColumnPath<C, number | null>;
const aggregate =
  (name: string): Aggregate =>
  (column) =>
    path(`${encodeColumn(column)}.${name}()`);
export const sum: Aggregate = aggregate('sum');
export const avg: Aggregate = aggregate('avg');
export const min: Aggregate = aggregate('min');
export const max: Aggregate = aggregate('max');

function path<T>(wire: string, decode?: (value: unknown) => T): ColumnPath<never, T> {
  return { [part]: 'column', wire, decode };
}

const kindOf = (value: object) => (value as { readonly [part]?: string })[part];
export const isEmbed = (value: object): value is Embed => kindOf(value) === 'embed';
export const isColumn = (value: object): value is ColumnPath => kindOf(value) === 'column';

function encodeShape(columns: Shape, prefix: string, params: Param[]): string {
  return Object.entries(columns)
    .map(([key, value]) => {
      if (value === true) return encodeName(key);
      if (typeof value === 'string') return `${encodeName(key)}:${encodeCast(value)}`;
      if (isColumn(value)) return `${encodeName(key)}:${value.wire}`;
      return encodeEmbed(key, isEmbed(value) ? value : embed(value), prefix, params);
    })
    .join();
}

function encodeEmbed(
  key: string,
  { relation, shape: inner, ...rest }: Embed,
  prefix: string,
  params: Param[],
): string {
  const isSpread = key.startsWith('...');
  const name = encodeName(isSpread ? key.slice(3) : key);
  const own = `${prefix}${name}.`;
  params.push(...rest.params(own));
  const target = relation && relation !== key ? `${name}:${encodeName(relation)}` : name;
  const columns = typeof inner === 'string' ? encodeList(inner) : encodeShape(inner as Shape, own, params);
  return `${isSpread ? '...' : ''}${target}${rest.modifiers}(${columns})`;
}

/** Decodes the columns that need it, in place: the rows are fresh from JSON. */
function decoder(columns: Shape): RowCheck | undefined {
  const steps = Object.entries(columns).flatMap(([key, value]): [string, (value: unknown) => unknown][] => {
    if (typeof value !== 'object') return [];
    if (isColumn(value)) return value.decode ? [[key, value.decode]] : [];
    const inner = isEmbed(value) ? value.shape : value;
    const decode = typeof inner === 'object' ? decoder(inner as Shape) : undefined;
    if (!decode) return [];
    return [[key, (related) => (Array.isArray(related) ? related.map(decode) : decode(related, 0))]];
  });
  if (!steps.length) return undefined;
  return (row) => {
    const record = row as Record<string, unknown> | null;
    for (const [key, decode] of steps) {
      if (record && record[key] !== null) record[key] = decode(record[key]);
    }
    return row;
  };
}

import { RestError } from './errors.ts';
import { encodeFilter, type Filter } from './filter.ts';
import type { Param, Projection } from './plan.ts';
import { type ColumnPath, encodeColumn, encodeName, part } from './quoting.ts';

/** Related rows, with what is asked of them beyond their columns. */
export interface Embed<out S = unknown, out Inner extends boolean = boolean, out R extends string = string> {
  readonly [part]: 'embed';
  /** The relation to embed, if its key in the shape is an alias. */
  readonly relation: R | undefined;
  readonly hint: string | undefined;
  readonly join: 'inner' | 'left' | undefined;
  readonly shape: S;
  readonly filters: readonly Filter[];
  readonly order: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** Only for the type checker. */
  readonly inner?: Inner;
}

/**
 * Columns and related rows by the name that they get: `true` for the column or relation of that name, a text for
 * another column (`total: 'amount::text'`), a shape for related rows, `'...author'` to spread them into the row.
 */
export type Shape = { readonly [name: string]: true | string | Shape | Embed | ColumnPath };

/** A select that this client neither writes nor checks: `rawSelect<{ n: number }>('n:amount.sum()')`. */
export interface RawSelect<out Row = unknown> {
  readonly [part]: 'raw';
  readonly wire: string;
  /** Only for the type checker. */
  readonly row?: Row;
}

export type Columns = string | Shape | RawSelect;

/** Encodes a list of columns (`'id, total:amount::text, data->>name'`), or a shape. */
export function encodeSelect(columns: string | object): Projection {
  if (typeof columns === 'string') return { select: encodeList(columns), params: [] };
  if (isPart(columns, 'raw')) return { select: columns.wire, params: [] };
  const params: Param[] = [];
  return { select: encodeShape(columns as Shape, '', params), params };
}

const isPart = <K extends 'raw' | 'embed' | 'column'>(
  value: object,
  kind: K,
): value is { raw: RawSelect; embed: Embed; column: ColumnPath }[K] =>
  (value as { readonly [part]?: string })[part] === kind;

function encodeList(columns: string): string {
  if (/[()]/.test(columns)) {
    throw new RestError(
      'invalid-query',
      'A text selects columns only: embed with a shape, or with rawSelect()',
    );
  }
  return columns
    .split(',')
    .map((item) => {
      const [, alias, column = ''] = /^(?:([^:]*):(?!:))?(.*)$/s.exec(item.trim()) ?? [];
      return `${alias ? `${encodeName(alias.trim())}:` : ''}${encodeCast(column.trim())}`;
    })
    .join();
}

/** `column`, `column::type` or `*`. */
function encodeCast(column: string): string {
  const [, name = '', cast = ''] = /^(.*?)(::\w+)?$/s.exec(column) ?? [];
  return (name === '*' ? name : encodeColumn(name)) + cast;
}

function encodeShape(shape: Shape, path: string, params: Param[]): string {
  return Object.entries(shape)
    .map(([key, value]) => {
      if (value === true) return encodeName(key);
      if (typeof value === 'string') return `${encodeName(key)}:${encodeCast(value)}`;
      if (isPart(value, 'column')) return `${encodeName(key)}:${value.wire}`;
      if (isPart(value, 'embed')) return encodeEmbed(key, value, path, params);
      return encodeEmbed(key, { shape: value }, path, params);
    })
    .join();
}

function encodeEmbed(key: string, embed: Partial<Embed>, path: string, params: Param[]): string {
  const { relation, hint, join, shape, filters = [], order, limit, offset } = embed;
  const isSpread = key.startsWith('...');
  const name = encodeName(isSpread ? key.slice(3) : key);
  const own = `${path}${name}.`;
  params.push(...filters.map((filter) => encodeFilter(filter, own)));
  if (order?.length) params.push([`${own}order`, order.join()]);
  if (offset !== undefined) params.push([`${own}offset`, String(offset)]);
  if (limit !== undefined) params.push([`${own}limit`, String(limit)]);
  const target = relation && relation !== key ? `${name}:${encodeName(relation)}` : name;
  const modifiers = `${hint ? `!${encodeName(hint)}` : ''}${join ? `!${join}` : ''}`;
  const columns = typeof shape === 'string' ? encodeList(shape) : encodeShape(shape as Shape, own, params);
  return `${isSpread ? '...' : ''}${target}${modifiers}(${columns})`;
}

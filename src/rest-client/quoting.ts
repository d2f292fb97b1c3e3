import { RestError } from './errors.ts';

/** Marks what the functions of this client put into a shape, beside plain nested shapes. */
export const part: unique symbol = Symbol('part of a query');

/** A column, a path into a JSON column or an aggregate, in the form in which it goes over the wire. */
export interface ColumnPath<out C extends string = string, out T = unknown> {
  readonly [part]: 'column';
  readonly wire: string;
  /** Decodes the value of the answer. */
  readonly decode?: ((value: unknown) => T) | undefined;
  /** Only for the type checker: the column that is used. */
  readonly column?: C;
}

/** Words of letters, ASCII digits, `_` and `$`, joined by single spaces or dashes: what the server reads unquoted. */
const plainName = /^[\p{L}\d_$]+(?:[ -][\p{L}\d_$]+)*$/u;
const reservedName = /^(select|columns|on_conflict|order|limit|offset|and|or|not)$/;

/** `"…"` with `\` and `"` escaped: a value or an identifier in any of PostgREST's grammars. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** One identifier: bare where the grammar allows it, else quoted. */
export function encodeName(name: string): string {
  return plainName.test(name) && !reservedName.test(name) ? name : quote(name);
}

/** A column, or a JSON path with arrows (`data->items->0->>name`), each step quoted on its own. */
export function encodeColumn(column: string | ColumnPath): string {
  if (typeof column !== 'string') return column.wire;
  return column
    .split(/(->>?)/)
    .map((part, index) => (index % 2 || (index && /^-?\d+$/.test(part)) ? part : encodeName(part)))
    .join('');
}

/** A single value as text, not yet quoted: dates as ISO 8601, arrays as PostgreSQL's literal, objects as JSON. */
export function encodeValue(value: unknown): string {
  const isDate = value instanceof Date;
  if (/undefined|function|symbol/.test(typeof value) || (isDate && Number.isNaN(value.getTime()))) {
    throw new RestError('invalid-query', `Cannot compare with a value that is ${typeof value}`);
  }
  if (isDate) return value.toISOString();
  if (Array.isArray(value)) return encodeArray(value);
  return typeof value === 'object' ? encodeJson(value) : `${value as number}`;
}

/** JSON in which a bigint is written as text, which the database reads back without loss. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
}

/** PostgreSQL's array literal: `{"a,b",1,NULL}`. */
export function encodeArray(items: readonly unknown[]): string {
  return `{${items.map((item) => (item === null ? 'NULL' : encodeItem(item))).join()}}`;
}

/** An item of a list: numbers, booleans and arrays bare, all else quoted. */
export function encodeItem(item: unknown): string {
  const text = encodeValue(item);
  return /string|object/.test(typeof item) && !Array.isArray(item) ? quote(text) : text;
}

/** A value in a logic tree, quoted where a character of it could end the value. */
export function encodeNested(text: string): string {
  return /^[^\s,()"\\{}]+$/.test(text) ? text : quote(text);
}

/** Percent-encodes one part of a query string, leaving what a query may hold as it is (RFC 3986 §3.4). */
export function encodeParam(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new RestError('invalid-query', 'A text holds half a character');
  return encodeURIComponent(text).replace(/%(?:2C|3A|24|40|2F|3B)/g, decodeURIComponent);
}

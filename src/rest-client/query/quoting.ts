import { RestError } from '../errors.ts';

/** Marks what the functions of this client make, so that no value from elsewhere can pass for it. */
export const part: unique symbol = Symbol();

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
/** The usual name, which is recognized faster. */
const asciiName = /^[A-Za-z_]\w*$/;
const reservedNames: ReadonlySet<string> = new Set(
  ['select', 'columns', 'on_conflict', 'order', 'limit', 'offset'].concat('and', 'or', 'not'),
);

/** Whether a name means something of its own to the server: a parameter, or a position in JSON. */
export const isReservedName = (name: string): boolean => reservedNames.has(name) || /^\d+$/.test(name);

/** Refuses a query before anything is sent. */
export function refuse(message: string): never {
  throw new RestError('invalid-query', message);
}

/** `"…"` with `\` and `"` escaped: a value or an identifier in any of PostgREST's grammars. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** One identifier: bare where the grammar allows it, else quoted. */
export function encodeName(name: string): string {
  return (asciiName.test(name) || plainName.test(name)) && !isReservedName(name) ? name : quote(name);
}

/** A position in JSON at the end of a list; before `)` the server reads it as a key. */
export const positionAtEnd = /(>?)>-?\d+$/;

/** A list that ends in a position in JSON, with a cast that keeps it one where `)` follows. */
export const castPositionAtEnd = (list: string): string =>
  list.replace(positionAtEnd, (found, text: string) => `${found}::${text ? 'text' : 'json'}`);

/** A column, or a JSON path with arrows (`data->items->0->>name`), each step quoted on its own. */
export function encodeColumn(column: string | ColumnPath): string {
  if (typeof column !== 'string') return column.wire;
  if (!column.includes('->')) return encodeName(column);
  return column
    .split(/(->>?)/)
    .map((step, index) => (index % 2 || (index && /^-?\d+$/.test(step)) ? step : encodeName(step)))
    .join('');
}

/**
 * A single value as text, not yet quoted: dates as ISO 8601, arrays as PostgreSQL's literal (`{"a,b",1,NULL}`), objects as
 * JSON. What JSON would leave out or make null, at any depth, is refused: it would match other rows than were meant.
 */
export function encodeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (Array.isArray(value)) return `{${Array.from(value, encodeItem).join()}}`;
  const text = encodeJsonValue(value ?? undefined);
  return value instanceof Date ? value.toISOString() : text;
}

/** A value as JSON, as strictly. */
export const encodeJsonValue = (value: unknown): string => JSON.stringify(value, refuseMissing);

function refuseMissing(this: Readonly<Record<string, unknown>>, key: string, item: unknown): unknown {
  const isMissing = item === null ? this[key] !== null : /undefined|function|symbol|bigint/.test(typeof item);
  return isMissing ? refuse(`Cannot compare with ${String(this[key])}`) : item;
}

/** An item of a list: numbers, booleans and arrays bare, all else quoted. */
export function encodeItem(item: unknown): string {
  if (item === null) return 'NULL';
  const text = encodeValue(item);
  return /string|object/.test(typeof item) && !Array.isArray(item) ? quote(text) : text;
}

/** JSON in which a bigint is written as text, which the database reads back without loss. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
}

/** Text that percent-encoding does not change. */
const verbatim = /^[\w.!~*'()$,/:@-]*$/;

/**
 * Percent-encodes one part of a query string, leaving what a query may hold as it is (RFC 3986 §3.4), save `;`: the
 * server reads it as `&`.
 */
export function encodeParam(text: string): string {
  if (verbatim.test(text)) return text;
  if (/\p{Surrogate}/u.test(text)) refuse('Half a character');
  return encodeURIComponent(text).replace(/%(2[4CF]|3A|40)/g, decodeURIComponent);
}

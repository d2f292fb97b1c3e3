import { RestError } from '../errors.ts';

/** Marks the expressions that this client creates with their kind; parsed JSON never has a symbol. */
export const expressionKind: unique symbol = Symbol();

/** A column, a path into a JSON column or an aggregate, in its wire form. */
export interface ColumnPath<out C extends string = string, out T = unknown> {
  /** Marks the value as made by this client. */
  readonly [expressionKind]: 'column';
  readonly wire: string;
  /** Decodes the value of the response. */
  readonly decode?: ((value: unknown) => T) | undefined;
  /** Present for the type checker only: the column. */
  readonly column?: C;
  /** Present for the type checker only: no column of a related row. */
  readonly related?: never;
}

/** A column of a to-one relation: what `relatedColumn()` makes. */
export interface RelatedColumn<out R extends string = string, out C extends string = string> {
  /** Marks the value as made by this client. */
  readonly [expressionKind]: 'column';
  readonly wire: string;
  /** Present for the type checker only: the relation and its column. */
  readonly related?: readonly [relation: R, column: C];
}

/**
 * Words of letters, ASCII digits, `_` and `$`, joined by single spaces or dashes, which the server reads unquoted. A literal with
 * a Unicode class is expanded whenever the module is parsed, used or not.
 */
const isPlainName = (name: string) =>
  new RegExp(String.raw`^[\p{L}\d_$]+(?:[ -][\p{L}\d_$]+)*$`, 'u').test(name);
/** An ASCII name, which is recognized without Unicode classes. */
const asciiName = /^[A-Za-z_]\w*$/;
const reservedNames: ReadonlySet<string> = new Set([
  'select',
  'columns',
  'on_conflict',
  'order',
  'limit',
  'offset',
  'and',
  'or',
  'not',
]);

/** Whether the server reads a name as something else: a parameter, or a JSON position. */
export const isReservedName = (name: string): boolean => reservedNames.has(name) || /^\d+$/.test(name);

/** Refuses a query before anything is sent. */
export function refuse(message: string): never {
  throw new RestError('invalid-query', message);
}

/** Refuses an invalid number of rows, which the server would ignore. */
export function requireWhole(value: number, min = 0): number {
  return Number.isSafeInteger(value) && value >= min ? value : refuse(`Not a whole number from ${min}`);
}

/** `"…"` with `\` and `"` escaped: a value or an identifier in any of PostgREST's grammars. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** One identifier: bare where the grammar allows it, else quoted. */
export function encodeName(name: string): string {
  return (asciiName.test(name) || isPlainName(name)) && !isReservedName(name) ? name : quote(name);
}

/** Matches a list that ends in a JSON position (`data->0`). */
export const positionAtEnd = /(>?)>-?\d+$/;

/** Adds a cast to a list that ends in a JSON position: before `)` the server would read the position as a key. */
export const castPositionAtEnd = (list: string): string =>
  list.replace(positionAtEnd, (found, text: string) => `${found}::${text ? 'text' : 'json'}`);

/** A column, or a JSON path with arrows (`data->items->0->>name`), each step quoted on its own. */
export function encodeColumn(column: string | ColumnPath | RelatedColumn): string {
  if (typeof column !== 'string') return column.wire;
  return column.includes('->') ? encodePath(column.split(/(->>?)/), encodeName) : encodeName(column);
}

/** A JSON path, in which every second step is an arrow; positions stay unchanged. */
export const encodePath = (steps: readonly string[], encode: (name: string) => string): string =>
  steps.map((step, index) => (index % 2 || (index && /^-?\d+$/.test(step)) ? step : encode(step))).join('');

/**
 * A single value as text, not yet quoted: dates as ISO 8601, arrays as PostgreSQL's literal (`{"a,b",1,NULL}`), objects as
 * JSON.
 *
 * @throws {RestError} `invalid-query` for a value that JSON omits or turns into null, at any depth, because it would match
 *   other rows.
 */
export function encodeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (Array.isArray(value)) return `{${Array.from(value, encodeItem).join()}}`;
  const text = encodeJsonValue(value ?? undefined);
  return value instanceof Date ? value.toISOString() : text;
}

/** An item of a list: numbers, booleans and arrays bare, anything else quoted. */
export function encodeItem(item: unknown): string {
  if (item === null) return 'NULL';
  const text = encodeValue(item);
  const isText = typeof item === 'string' || (typeof item === 'object' && !Array.isArray(item));
  return isText ? quote(text) : text;
}

/** Whether a value must not reach JSON: `item` is `given` after its own `toJSON`. */
type JsonRule = (item: unknown, given: unknown, isInList: boolean) => boolean;

const omittedByJson: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol']);

/** What JSON turns into null: NaN, an invalid date, a function in a list. */
const becomesNull: JsonRule = (item, given, isInList) =>
  (item === null && given !== null) ||
  (typeof item === 'number' && !Number.isFinite(item)) ||
  (isInList && omittedByJson.has(typeof item));

/** What a comparison would also lose: fields that JSON omits, and the type of a bigint. */
const isLost: JsonRule = (item, ...rest) =>
  omittedByJson.has(typeof item) || typeof item === 'bigint' || becomesNull(item, ...rest);

/**
 * JSON in which a bigint is a text, which the database reads without loss.
 *
 * @param isRefused default: what JSON turns into null.
 * @throws {RestError} `invalid-query` for a value that is refused.
 */
export function encodeJson(value: unknown, isRefused: JsonRule = becomesNull): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, item: unknown) {
    const given = this[key];
    if (isRefused(item, given, Array.isArray(this)))
      refuse(
        `Not a value of JSON: ${key || 'it'} is ${omittedByJson.has(typeof given) ? typeof given : String(given)}`,
      );
    return typeof item === 'bigint' ? String(item) : item;
  });
}

/** A value as JSON. @throws {RestError} `invalid-query`, as `encodeValue`. */
export const encodeJsonValue = (value: unknown): string => encodeJson(value, isLost);

/** Text that percent-encoding does not change. */
const verbatim = /^[\w.!~*'()$,/:@-]*$/;

/**
 * Percent-encodes one part of a query string, except the characters that a query may contain (RFC 3986 §3.4). `;` is
 * encoded, because the server reads it as `&`.
 */
export function encodeParam(text: string): string {
  if (verbatim.test(text)) return text;
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    // A URIError: the text ends or begins within a character.
    return refuse('Half a character');
  }
  return encoded.replace(/%(2[4CF]|3A|40)/g, decodeURIComponent);
}

import { invalidBody } from './errors.ts';
import { parseCsv } from './csv.ts';
import { isKnown, mimeOf } from './media-type.ts';
import type { MediaType } from './media-type.ts';
import { parseQueryString } from './query-string.ts';

export type Payload =
  /** JSON text for PostgreSQL. */
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'form'; readonly pairs: readonly (readonly [string, string])[] }
  /** The only argument of a function with an unnamed parameter. */
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

export interface ParsedPayload {
  readonly payload: Payload;
  /** The columns or arguments of the body, or those of `columns=`. */
  readonly columns: ReadonlySet<string>;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/**
 * @param columns the value of `columns=`, if the action uses it; PostgreSQL then parses the body.
 * @throws {RestError} PGRST102.
 */
export function parsePayload(
  body: Uint8Array,
  type: MediaType,
  columns: ReadonlySet<string> | undefined,
  isCall: boolean,
): ParsedPayload {
  if (isKnown(type, 'application/json')) return parseJsonPayload(body, columns, isCall);
  if (isKnown(type, 'text/csv')) return parseCsvPayload(body);
  if (isKnown(type, 'application/x-www-form-urlencoded')) {
    const pairs = parseQueryString(decoder.decode(body)).map(([name, value = '']) => [name, value] as const);
    const names = new Set(pairs.map(([name]) => name));
    if (isCall) return { payload: { type: 'form', pairs }, columns: names };
    const object = Object.fromEntries(pairs);
    return { payload: { type: 'json', text: JSON.stringify(object) }, columns: names };
  }
  if (isCall && isKnown(type, 'text/plain', 'text/xml', 'application/octet-stream')) {
    return { payload: { type: 'raw', bytes: body }, columns: new Set() };
  }
  throw invalidBody(`Content-Type not acceptable: ${mimeOf(type)}`);
}

function parseJsonPayload(
  body: Uint8Array,
  columns: ReadonlySet<string> | undefined,
  isCall: boolean,
): ParsedPayload {
  if (columns) return { payload: { type: 'json', text: decoder.decode(body) }, columns };
  if (body.length === 0 && isCall) return { payload: { type: 'json', text: '' }, columns: new Set() };
  const { text, value } = readJson(body);
  if (!Array.isArray(value)) {
    if (isRecord(value)) return { payload: { type: 'json', text }, columns: keysOf(value) };
    return NO_ROWS;
  }
  return uniform(text, value, 'All object keys must match');
}

const NO_ROWS: ParsedPayload = { payload: { type: 'json', text: '[]' }, columns: new Set() };

function uniform(text: string, rows: readonly unknown[], message: string): ParsedPayload {
  const [first] = rows;
  if (rows.length === 0) return NO_ROWS;
  if (!isRecord(first)) throw invalidBody(message);
  const columns = keysOf(first);
  const hasSameKeys = (row: unknown) => {
    if (!isRecord(row)) return false;
    const keys = Object.keys(row);
    return keys.length === columns.size && keys.every((key) => columns.has(key));
  };
  if (!rows.every(hasSameKeys)) throw invalidBody(message);
  return { payload: { type: 'json', text }, columns };
}

const SURROGATE_ESCAPE = /\\ud[89a-f]/i;

const HALF_PAIR = /\p{Surrogate}/u;

/** PostgREST rejects unpaired surrogates, which `JSON.parse` accepts. */
function assertWellFormed(key: string, value: unknown): unknown {
  const isBroken = HALF_PAIR.test(key) || (typeof value === 'string' && HALF_PAIR.test(value));
  if (isBroken) throw new SyntaxError('A lone surrogate');
  return value;
}

function readJson(body: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = strictDecoder.decode(body);
    return {
      text,
      value: JSON.parse(text, SURROGATE_ESCAPE.test(text) ? assertWellFormed : undefined) as unknown,
    };
  } catch {
    throw invalidBody('Empty or invalid json');
  }
}

/** Converts each row to an object of strings; the text `NULL` becomes null. Surplus fields are dropped. */
function parseCsvPayload(body: Uint8Array): ParsedPayload {
  const [header = [], ...records] = parseCsv(body);
  const rows = records.map((record) =>
    Object.fromEntries(
      header
        .slice(0, record.length)
        .map((name, index) => [name, record[index] === 'NULL' ? null : record[index]]),
    ),
  );
  return uniform(JSON.stringify(rows), rows, 'All lines must have same number of fields');
}

const keysOf = (row: object): ReadonlySet<string> => new Set(Object.keys(row));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import { encodeFilter, type Filter } from './filter.ts';
import { encodeParam, refuse } from './quoting.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A parameter of the query string, not yet percent-encoded; left out if its value is undefined. */
export type Param = readonly [key: string, value: string | number | undefined];

/** Which rows, in which order. */
export interface Selection {
  readonly where?: readonly Filter[] | undefined;
  readonly order?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A response whose body is read and not yet parsed. */
export interface Wire {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A query as plain values. A plan never changes; modifiers return another. */
export interface Plan extends Omit<Selection, 'where'> {
  /** HTTP method. */
  readonly method: Method;
  /** Below `/rest/v1/`, percent-encoded. */
  readonly path: string;
  /** The schema; undefined for the server's default. */
  readonly schema?: string | undefined;
  /** Parameters other than `select`, filters, order, limit and offset. */
  readonly params: readonly Param[];
  /** The select, encoded; undefined for all columns. */
  readonly select?: string | undefined;
  /** Conditions, joined by `and`. */
  readonly filters: readonly Filter[];
  /** Terms of the order, encoded: `created_at.desc`. */
  readonly order: readonly string[];
  /** Preferences by name, such as `count: 'exact'`. */
  readonly prefer: Readonly<Record<string, string | number | undefined>>;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as JSON; undefined for none. */
  readonly body?: string | undefined;
  /** How many rows an insert or upsert adds or overwrites at most; undefined for every other request. */
  readonly addedRows?: number | undefined;
  /** Whether an update or delete may be sent without a filter. */
  readonly isUnfiltered?: boolean | undefined;
  /** Turns the response into the result. */
  readonly read: Reader;
  /** Parses the body. Default: `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined;
  /** Whether the count is part of the result. */
  readonly isCounted?: boolean | undefined;
  /** Throws, before the request is sent, unless the server proves that it will honor the preferences. */
  readonly precondition?: ((plan: Plan, send: SendPlan) => Promise<void>) | undefined;
  /** Throws a more specific error instead of that of a failed request. */
  readonly onFailure?: ((problem: unknown) => never) | undefined;
  /** Throws if the response does not meet the requirements of the query. */
  readonly verify?: ((data: unknown, wire: Wire) => void) | undefined;
  /** Encodes a select instead of `encodeSelect`, as a `table()` does. */
  readonly project?: ((columns: Columns) => Projection) | undefined;
  /** Decodes or validates one row or value; `index` is its position. */
  readonly check?: RowCheck | undefined;
}

/** Sends a request of a precondition, such as one that reads no rows. */
export type SendPlan = (plan: Plan) => Promise<Wire>;

/** Returns what a row becomes, or a promise of it for a schema that validates asynchronously. */
export type RowCheck = (row: unknown, index: number) => unknown;

/** A select: a text, or what `shape()` and `rawSelect()` make. */
export type Columns = string | Projection;

/** A select in its wire form, with the parameters and the check of rows that it needs. */
export interface Projection {
  readonly select: string;
  readonly params: readonly Param[];
  readonly check?: RowCheck | undefined;
}

export type Reader = (wire: Wire, plan: Plan) => unknown;

/** A request as it goes over the wire, without credentials: for previews and cache keys. */
export interface RestRequest {
  /** HTTP method. */
  readonly method: Method;
  /** Absolute URL. */
  readonly url: string;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as JSON; undefined for none. */
  readonly body?: string | undefined;
}

/** @param path where the rows are embedded, with its dot (`author.`); default: the rows themselves. */
export function encodeSelection({ where = [], order = [], offset, limit }: Selection, path = ''): Param[] {
  const params: Param[] = where.map((filter) => encodeFilter(filter, path));
  if (order.length) params.push([`${path}order`, order.join()]);
  if (offset !== undefined) params.push([`${path}offset`, offset]);
  if (limit !== undefined) params.push([`${path}limit`, limit]);
  return params;
}

/**
 * @param base the project's URL with `/rest/v1`.
 * @throws {RestError} `invalid-query` for an update or delete that has no filter and is not meant for all rows.
 */
export function encodeRequest(plan: Plan, base: string): RestRequest {
  const { method, path, filters, body } = plan;
  if ((method === 'PATCH' || method === 'DELETE') && !filters.length && !plan.isUnfiltered) {
    refuse(`${method} without a filter: add one, or .all()`);
  }
  const query = encodeQuery(plan);
  return { method, url: `${base}/${path}${query && `?${query}`}`, headers: encodeHeaders(plan), body };
}

function encodeQuery({ params, select, filters: where, order, offset, limit }: Plan): string {
  let query = '';
  const add = ([key, value]: Param) => {
    if (value === undefined) return;
    query += `${query && '&'}${encodeParam(key)}=${encodeParam(String(value))}`;
  };
  params.forEach(add);
  add(['select', select]);
  encodeSelection({ where, order, offset, limit }).forEach(add);
  return query;
}

function encodeHeaders({ method, schema, prefer, headers, body }: Plan): Record<string, string> {
  const encoded: Record<string, string> = { accept: 'application/json' };
  if (schema) encoded[isRead(method) ? 'accept-profile' : 'content-profile'] = schema;
  if (body) encoded['content-type'] = 'application/json';
  Object.assign(encoded, headers);
  const preferences = Object.entries(prefer).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${value}`,
  );
  if (headers['prefer']) preferences.push(headers['prefer']);
  if (preferences.length) encoded['prefer'] = preferences.join();
  return encoded;
}

/** The media type of exactly one row. */
export const oneRow = 'application/vnd.pgrst.object+json';

/** Whether the response has rows: those of a table, or of a function. */
export const readsRows = ({ method, path }: Plan): boolean =>
  method === 'GET' || (method === 'POST' && path.startsWith('rpc/'));

/** Whether the method only reads, so that it can be repeated. */
export const isRead = (method: Method): boolean => method === 'GET' || method === 'HEAD';

/** Refuses options that several requests cannot keep, such as a limit. An update or a delete always counts its rows, which does not matter. */
export function refuseCut(name: string, plan: Plan, isWrite = false): void {
  const { order, limit, offset, prefer, verify } = plan;
  const limits = isWrite ? (verify ?? prefer['max-affected']) : prefer['count'];
  if (!(isWrite || readsRows(plan)) || (order[0] ?? limit ?? offset ?? limits) !== undefined) {
    refuse(`${name}() cannot divide this write, order, limit or count`);
  }
}

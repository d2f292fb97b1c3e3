import { RestError } from './errors.ts';
import { encodeFilter, type Filter } from './filter.ts';
import { encodeJson, encodeParam } from './quoting.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A parameter of the query string, not yet percent-encoded. */
export type Param = readonly [key: string, value: string];

/** An answer, read but not understood. */
export interface Wire {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** All that a query is: plain values, never changed, only copied. Modifiers turn one plan into another. */
export interface Plan {
  readonly method: Method;
  /** Below `/rest/v1/`, percent-encoded. */
  readonly path: string;
  readonly schema?: string | undefined;
  readonly params: readonly Param[];
  readonly select?: string;
  readonly filters: readonly Filter[];
  readonly order: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
  /** Preferences by name, such as `count: 'exact'`. */
  readonly prefer: Readonly<Record<string, string | number>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** An update or delete of every row is meant. */
  readonly all?: boolean;
  /** What the answer's text becomes. */
  readonly read: Reader;
  /** Whether the count is part of the result. */
  readonly isCounted?: boolean;
  /** Refuses an answer that is not what was expected, by throwing. */
  readonly verify?: (data: unknown, wire: Wire) => void;
  /** Encodes a select in another way than `encodeSelect`. */
  readonly project?: ((columns: Columns) => Projection) | undefined;
  /** Decodes or validates one row or value; `index` tells which. */
  readonly check?: RowCheck | undefined;
}

/** What a row becomes; a promise of it for a schema that validates asynchronously. */
export type RowCheck = (row: unknown, index: number) => unknown;

/** What a select can be made of: a list of columns, or what shape() and rawSelect() make. */
export type Columns = string | Projection;

/** The wire form of a select, with the parameters and the check of rows that it brings. */
export interface Projection {
  readonly select: string;
  readonly params: readonly Param[];
  readonly check?: RowCheck | undefined;
}

export type Reader = (wire: Wire, plan: Plan) => unknown;

/** A request as it goes over the wire, without credentials: fit for logs, previews and cache keys. */
export interface RestRequest {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

/**
 * @param base the project's URL with `/rest/v1`.
 * @throws {RestError} `invalid-query` for an update or delete that has no filter and is not meant for all rows.
 */
export function encodeRequest(plan: Plan, base: string): RestRequest {
  const { method, select, filters, order, limit, offset, body } = plan;
  if ((method === 'PATCH' || method === 'DELETE') && !filters.length && !plan.all) {
    throw new RestError('invalid-query', `${method} without a filter: add one, or .all()`);
  }
  const params: Param[] = [...plan.params];
  if (select) params.push(['select', select]);
  params.push(...filters.map((filter) => encodeFilter(filter)));
  if (order.length) params.push(['order', order.join()]);
  if (offset !== undefined) params.push(['offset', String(offset)]);
  if (limit !== undefined) params.push(['limit', String(limit)]);
  const query = params.map((param) => param.map(encodeParam).join('=')).join('&');
  return {
    method,
    url: `${base}/${plan.path}${query && `?${query}`}`,
    headers: encodeHeaders(plan),
    ...(body !== undefined && { body: encodeJson(body) }),
  };
}

function encodeHeaders({ method, schema, prefer, headers, body }: Plan): Record<string, string> {
  const preferences = Object.entries(prefer).map(([name, value]) => `${name}=${value}`);
  return {
    Accept: 'application/json',
    ...(schema && { [/GET|HEAD/.test(method) ? 'Accept-Profile' : 'Content-Profile']: schema }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(preferences.length && { Prefer: preferences.join() }),
    ...headers,
  };
}

import { foreignResponse } from '../../platform/foreign-response.ts';
import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { errorCodeOf, RestError, type RestErrorFields } from '../errors.ts';
import { type Method, oneRow, type Plan, type Wire } from './plan.ts';

/** A result with its count, status and headers. */
export interface QueryResponse<Data> {
  /** What the query yields. */
  readonly data: Data;
  /** HTTP status. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;
  /** How many rows match in all, if the query counts; else null. */
  readonly count: number | null;
  /**
   * Whether the server's limit of rows truncated the result: known from an exact count, else assumed when exactly as
   * many rows arrived as the limit allows and the query asks for more.
   */
  readonly truncated: boolean;
}

export interface ContentRange {
  /** How many rows the response contains or the write changed; null if the server does not send it. */
  readonly rows: number | null;
  /** How many rows match in all; null where the server does not count. */
  readonly total: number | null;
}

/** `0-24/100`, `0-24/*`, or an asterisk for no rows (RFC 9110 §14.4). */
export function parseContentRange(headers: Headers): ContentRange {
  const [found, first = 0, last = -1, total] =
    /^(?:(\d+)-(\d+)|\*)\/(?:(\d+)|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
  return { rows: found ? Number(last) - Number(first) + 1 : null, total: total ? Number(total) : null };
}

/** The error of a response with a status of 300 or more. */
export function parseError(wire: Wire, nowMs: number): RestError {
  const { status, headers, text } = wire;
  let body: Readonly<Record<string, unknown>> | null | undefined;
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // A gateway sends HTML or text.
  }
  const field = (name: string) => (typeof body?.[name] === 'string' ? body[name] : null);
  const serverCode =
    field('code') ?? /PostgREST; error=(\w+)/.exec(headers.get('proxy-status') ?? '')?.[1] ?? null;
  const retryAfterSeconds = parseRetryAfterSeconds(headers.get('retry-after'), nowMs);
  if (text !== '' && typeof body !== 'object' && status !== 429)
    return notTheService(wire, { retryAfterSeconds });
  const message = field('message') ?? readTokenRefusal(headers);
  return new RestError(errorCodeOf(serverCode, status, message), message ?? `HTTP ${status}`, {
    status,
    serverCode,
    details: body?.['details'],
    hint: field('hint'),
    retryAfterSeconds,
  });
}

/** The reason of a refused token, from the header (RFC 6750 §3) if the response to a HEAD has no body. */
function readTokenRefusal(headers: Headers): string | null {
  return /error_description="(.+?)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? null;
}

/** The error of a response that PostgREST did not send. */
export function notTheService(wire: Wire, more: RestErrorFields = {}): RestError {
  const [code, message, fields] = foreignResponse('rest', wire, wire.text, more.cause);
  return new RestError(code, message, { details: wire.text || null, ...more, ...fields });
}

/**
 * PostgREST names a range in each response to a table or a function, except to PUT (`actionResponse` of its Response.hs); CORS may
 * hide the header.
 */
const hasRange = ({ headers }: Wire): boolean => parseContentRange(headers).rows !== null;

/** The status of PostgREST for a write without selected rows, unless the database sets another one. */
const writtenStatuses: Readonly<Partial<Record<Method, number>>> = {
  POST: 201,
  PATCH: 204,
  PUT: 204,
  DELETE: 204,
};

/** Whether only the range or the status can prove that PostgREST sent the response: its body is empty. */
const hasNoBody = ({ method, path, prefer }: Plan): boolean =>
  method !== 'GET' && !path.startsWith('rpc/') && prefer['return'] !== 'representation';

/** @throws {RestError} `not-the-service` for a response without a body that PostgREST does not send. */
export function verifyOrigin(wire: Wire, plan: Plan): void {
  const { method } = plan;
  if (method !== 'HEAD' && !hasNoBody(plan)) return;
  if (!hasRange(wire) && wire.status !== writtenStatuses[method]) throw notTheService(wire);
}

/** @throws {RestError} `not-the-service`, as PostgREST sends JSON; a function that returns nothing sends no body. */
export function parseJson(wire: Wire, { path, parse = JSON.parse }: Plan): unknown {
  const { text, status } = wire;
  if (!text && path.startsWith('rpc/') && (status === 204 || hasRange(wire))) return null;
  try {
    return parse(text);
  } catch (cause) {
    throw notTheService(wire, { cause });
  }
}

/** Rows, or the value of a function; a promise of them where they are checked. */
export function readRows(wire: Wire, plan: Plan): unknown {
  const { check } = plan;
  const data = parseJson(wire, plan);
  if (!hasRange(wire) && !isShapeOf(data, wire, plan)) throw notTheService(wire);
  if (!check) return data;
  return Array.isArray(data) ? Promise.all(data.map(check)) : check(data, 0);
}

/** No row as null, one row as itself. */
export async function readMaybe(wire: Wire, plan: Plan): Promise<unknown> {
  const [row = null, ...others] = [await readRows(wire, plan)].flat();
  if (others.length) throw new RestError('not-one-row', 'maybeSingle() of several rows');
  return row;
}

/** How many rows a write changed. An update has them in its range; other writes only with a count. */
export function readAffected({ headers }: Wire, { method }: Plan): number | null {
  const { rows, total } = parseContentRange(headers);
  return total ?? (method === 'PATCH' ? rows : null);
}

/** How many rows match. */
export function readCount(wire: Wire): number {
  const { total } = parseContentRange(wire.headers);
  if (total === null) throw notTheService(wire, { cause: new TypeError('The response has no count') });
  return total;
}

/** The text of another form than JSON. @throws {RestError} `not-the-service` for a response of another media type. */
export function readText(wire: Wire, { headers }: Plan): string {
  if (!hasRange(wire) && !isOfType(wire, headers['accept'] ?? '')) throw notTheService(wire);
  return wire.text;
}

const isOfType = ({ headers }: Wire, mediaType: string): boolean =>
  headers.get('content-type')?.split(';')[0]?.toLowerCase() === mediaType.split(';')[0];

/** Whether JSON has the shape of rows. A function and another media type may return JSON of any shape. */
function isShapeOf(data: unknown, wire: Wire, { path, headers }: Plan): boolean {
  const { accept = '' } = headers;
  if (path === '') return isOfType(wire, 'application/openapi+json');
  if (path.startsWith('rpc/')) return true;
  if (accept.startsWith(oneRow)) return typeof data === 'object' && data !== null && !Array.isArray(data);
  return Array.isArray(data) || (accept !== '' && !accept.startsWith('application/vnd.pgrst.array'));
}

/** The result of a write that yields nothing. */
export const readNothing = (): undefined => undefined;

import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { errorCodeOf, RestError } from '../errors.ts';
import type { Plan, Wire } from './plan.ts';

/** A result with its count, status and headers. */
export interface Answer<Data> {
  /** What the query yields. */
  readonly data: Data;
  /** HTTP status. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;
  /** How many rows match in all, if the query counts; else null. */
  readonly count: number | null;
  /**
   * Whether the server's limit of rows cut the answer: known from an exact count, else assumed when exactly as many rows
   * arrived as the limit allows and the query asks for more.
   */
  readonly truncated: boolean;
}

/** The numbers of a Content-Range header. */
export interface ContentRange {
  /** How many rows the answer holds or the write changed; null where the server does not say. */
  readonly rows: number | null;
  /** How many rows match in all; null where the server does not count. */
  readonly total: number | null;
}

/** `0-24/100`, `0-24/*`, or an asterisk for no rows (RFC 9110 §14.4). */
export function parseContentRange(headers: Headers): ContentRange {
  const [found, first = 0, last = -1, total] =
    /(?:(\d+)-(\d+)|\*)\/(?:(\d+)|\*)/.exec(headers.get('content-range') ?? '') ?? [];
  return { rows: found ? Number(last) - Number(first) + 1 : null, total: total ? Number(total) : null };
}

/** The error of an answer with a status of 300 or more. */
export function parseError({ status, headers, text }: Wire, nowMs: number): RestError {
  let body: Readonly<Record<string, unknown>> | null | undefined;
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // A gateway answers in HTML or text.
  }
  const field = (name: string) => (typeof body?.[name] === 'string' ? body[name] : null);
  const serverCode =
    field('code') ?? /PostgREST; error=(\w+)/.exec(headers.get('proxy-status') ?? '')?.[1] ?? null;
  const isGateway = text !== '' && typeof body !== 'object' && status !== 429;
  return new RestError(
    isGateway ? 'gateway' : errorCodeOf(serverCode, status),
    field('message') ?? `HTTP ${status}`,
    {
      status,
      serverCode,
      details: body?.['details'] ?? (isGateway ? text : null),
      hint: field('hint'),
      retryAfterSeconds: parseRetryAfterSeconds(headers.get('retry-after'), nowMs),
    },
  );
}

/** @throws {RestError} `gateway`, as PostgREST sends JSON; a function that returns nothing sends no body. */
export function parseJson({ text }: Wire, { path }: Plan): unknown {
  if (!text && path.startsWith('rpc/')) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RestError('gateway', 'Not JSON', { cause, details: text });
  }
}

/** Rows, or the value of a function; a promise of them where they are checked. */
export function readRows(wire: Wire, plan: Plan): unknown {
  const { check } = plan;
  const data = parseJson(wire, plan);
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
export function readCount({ headers }: Wire): number {
  const { total } = parseContentRange(headers);
  if (total === null) throw new RestError('gateway', 'No count');
  return total;
}

/** The result of a write that yields nothing. */
export const readNothing = (): undefined => undefined;

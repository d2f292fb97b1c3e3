import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { errorCodeOf, RestError } from '../errors.ts';
import type { Plan, Wire } from '../query/plan.ts';

/** A result and what came with it. */
export interface Answer<Data> {
  readonly data: Data;
  readonly status: number;
  readonly headers: Headers;
  /** How many rows match in all, if the query asked for a count; else null. */
  readonly count: number | null;
  /**
   * Whether the server's cap on rows cut the answer: known from an exact count where there is one, else assumed when
   * exactly as many rows came as the cap allows and more were wanted.
   */
  readonly truncated: boolean;
}

export interface ContentRange {
  /** How many rows the answer holds or the write changed; null where the server does not say. */
  readonly rows: number | null;
  readonly total: number | null;
}

/** `0-24/100`, `0-24/*`, or an asterisk for no rows (RFC 9110 §14.4). */
export function parseContentRange(headers: Headers): ContentRange {
  const [found, first = 0, last = -1, total] =
    /(?:(\d+)-(\d+)|\*)\/(?:(\d+)|\*)/.exec(headers.get('content-range') ?? '') ?? [];
  return { rows: found ? Number(last) - Number(first) + 1 : null, total: total ? Number(total) : null };
}

/** The error that an answer of 300 or more is. */
export function parseError({ status, headers, text }: Wire, nowMs: number): RestError {
  let body: Readonly<Record<string, unknown>> | null | undefined;
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // Not of PostgREST.
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
      details: body?.['details'] ?? null,
      hint: field('hint'),
      retryAfterSeconds: parseRetryAfterSeconds(headers.get('retry-after'), nowMs),
    },
  );
}

/** @throws {RestError} `gateway`: PostgREST sends JSON, or nothing, if a function returns it. */
export function parseJson({ text }: Wire, { path }: Plan): unknown {
  if (!text && path.startsWith('rpc/')) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RestError('gateway', 'Not JSON', { cause });
  }
}

/** Rows, or the value of a function. */
export async function readRows(wire: Wire, plan: Plan): Promise<unknown> {
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

/** How many rows a write changed. An update says how many it holds; of other writes the same range says nothing. */
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

export const readNothing = (): undefined => undefined;

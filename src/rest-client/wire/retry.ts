import type { RestError } from '../errors.ts';
import { isRead, type Method } from '../query/plan.ts';

export interface RetryOptions {
  /** How many attempts may follow the first. Default 3. */
  readonly limit: number;
  /** Longest wait before the first of them, in milliseconds; it doubles each time. Default 300. */
  readonly baseDelayMs: number;
  /** Where the doubling ends, in milliseconds. Default 5000. */
  readonly maxDelayMs: number;
}

/** The server proves that nothing was executed: no connection was had, or the transaction was rolled back. */
const notExecuted = /^(PGRST00[023]|40001|40P01)$/;

/**
 * How long to wait before attempt `retry` (1 = the first retry), in milliseconds: as the server asks, or full jitter.
 * Infinity if there must be none: a read is repeated when the failure is transient (status 0: no answer), a write only when
 * the server proves that nothing was executed.
 */
export function retryDelayMs(
  method: Method,
  { status, code, retryAfterMs }: RestError,
  retry: number,
  { limit, baseDelayMs, maxDelayMs }: RetryOptions,
  random: number,
): number {
  const isTransient = isRead(method) && [0, 429, 502, 503, 504, 520].includes(status);
  if (retry > limit || !(isTransient || notExecuted.test(code))) return Infinity;
  return retryAfterMs ?? random * Math.min(maxDelayMs, baseDelayMs * 2 ** (retry - 1));
}

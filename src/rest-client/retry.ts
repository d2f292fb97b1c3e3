import type { RestError } from './errors.ts';
import { isRead, type Method } from './plan.ts';

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
 * Whether a failed attempt may be repeated: a read when the failure is transient (status 0: no answer); a write only when the server
 * proves that nothing was executed.
 */
export function mayRetry(method: Method, { status, code }: RestError): boolean {
  return notExecuted.test(code) || (isRead(method) && [0, 429, 502, 503, 504, 520].includes(status));
}

/** How long to wait before attempt `retry` (1 = the first retry), in milliseconds: as the server asks, or full jitter. */
export function retryDelayMs(
  { retryAfterMs }: RestError,
  retry: number,
  { baseDelayMs, maxDelayMs }: RetryOptions,
  random: number,
): number {
  return retryAfterMs ?? random * Math.min(maxDelayMs, baseDelayMs * 2 ** (retry - 1));
}

import { doublingDelaysMs } from '../../platform/backoff.ts';
import type { Page } from '../../platform/platform.ts';
import type { RetryPolicy } from '../../platform/retry.ts';
import { RestError } from '../errors.ts';
import { isRead, type Method } from '../query/plan.ts';

/** How failed requests are repeated. */
export interface RetryOptions {
  /** How many attempts may follow the first. Default 3. */
  readonly limit: number;
  /** Longest wait before the first retry, in milliseconds; it doubles each time. Default 300. */
  readonly baseDelayMs: number;
  /** Where the doubling ends, in milliseconds. Default 5000. */
  readonly maxDelayMs: number;
}

/** Codes by which the server proves that nothing was executed: no connection, or a transaction that was rolled back. */
const notExecuted: ReadonlySet<string> = new Set(['PGRST000', 'PGRST002', 'PGRST003', '40001', '40P01']);

/** Statuses of a failure that passes. */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504, 520]);

const isTransient = ({ kind, status }: RestError) =>
  kind === 'network' || kind === 'timeout' || transientStatuses.has(status);

/**
 * A read is repeated when the failure is transient, a write only when the server proves that nothing was executed. A page
 * that is known to be offline does not repeat.
 */
export function retryPolicy(
  method: Method,
  { limit, baseDelayMs, maxDelayMs }: RetryOptions,
  maxElapsedMs: number,
  page: Page,
): RetryPolicy {
  return {
    limit,
    backoff: { delaysMs: doublingDelaysMs(baseDelayMs, maxDelayMs), jitter: 'full' },
    maxElapsedMs,
    isRetryable(problem) {
      if (!(problem instanceof RestError)) return false;
      if (problem.kind === 'network' && !page.isOnline()) return false;
      return (isRead(method) && isTransient(problem)) || notExecuted.has(problem.code);
    },
  };
}

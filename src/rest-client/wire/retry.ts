import { type BackoffOptions, doublingDelaysMs } from '../../platform/backoff.ts';
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

const isTransient = ({ code, status }: RestError) =>
  code === 'network' || code === 'timeout' || (status !== null && transientStatuses.has(status));

/** Makes the retry policy of an execution, given its method and its deadline in milliseconds. */
export type RetryPolicyOf = (method: Method, maxElapsedMs: number) => RetryPolicy;

/**
 * A read is repeated when the failure is transient, a write only when the server proves that nothing was executed. A page
 * that is known to be offline does not repeat.
 */
export function createRetryPolicies(
  { limit, baseDelayMs, maxDelayMs }: RetryOptions,
  page: Page,
): RetryPolicyOf {
  const backoff: BackoffOptions = { delaysMs: doublingDelaysMs(baseDelayMs, maxDelayMs), jitter: 'full' };
  const isSafe = (problem: RestError) => problem.serverCode !== null && notExecuted.has(problem.serverCode);
  const isRetryable = (problem: unknown, isReading: boolean) =>
    problem instanceof RestError &&
    !(problem.code === 'network' && !page.isOnline()) &&
    (isSafe(problem) || (isReading && isTransient(problem)));
  const isReadRetryable = (problem: unknown) => isRetryable(problem, true);
  const isWriteRetryable = (problem: unknown) => isRetryable(problem, false);
  return (method, maxElapsedMs) => ({
    limit,
    backoff,
    maxElapsedMs,
    isRetryable: isRead(method) ? isReadRetryable : isWriteRetryable,
  });
}

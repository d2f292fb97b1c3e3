import { type BackoffOptions, doublingDelaysMs } from '../../platform/backoff.ts';
import type { Page } from '../../platform/platform.ts';
import { isTransientStatus } from '../../platform/retry.ts';
import { RestError } from '../errors.ts';
import { isRead, type Method } from '../query/plan.ts';

/** How failed requests are retried. */
export interface RetryOptions {
  /** Maximum number of retries. Default 3. */
  readonly limit: number;
  /** Longest wait before the first retry, in milliseconds; it doubles each time. Default 300. */
  readonly baseDelayMs: number;
  /** Where the doubling ends, in milliseconds. Default 5000. */
  readonly maxDelayMs: number;
}

/** Codes by which the server proves that nothing was executed: no connection, or a transaction that was rolled back. */
const notExecuted: ReadonlySet<string | null> = new Set([
  'PGRST000',
  'PGRST002',
  'PGRST003',
  '40001',
  '40P01',
]);

/** The clocks of two services of the project differ, usually by seconds: a shorter wait would not help. */
const NOT_YET_VALID_BACKOFF: BackoffOptions = { delaysMs: [1_000, 2_000, 4_000], jitter: 0.25 };

/** The waits between attempts: each is a random part of its delay. */
export function backoffOf({ baseDelayMs = 300, maxDelayMs = 5000 }: Partial<RetryOptions>) {
  const backoff: BackoffOptions = { delaysMs: doublingDelaysMs(baseDelayMs, maxDelayMs), jitter: 'full' };
  return (problem: unknown) => (isNotYetValid(problem) ? NOT_YET_VALID_BACKOFF : backoff);
}

const isNotYetValid = (problem: unknown) =>
  problem instanceof RestError && problem.code === 'token-not-yet-valid';

/** Whether a request was aborted, which a program's own `fetch` does on purpose. The error may belong to another realm. */
export const isAbort = (cause: unknown): boolean => {
  const { name, code } = Object(cause) as { readonly name?: unknown; readonly code?: unknown };
  return name === 'AbortError' || code === 'ABORT_ERR';
};

/**
 * A read is retried if the failure is transient, a write only if the server proves that nothing was executed. Nothing is
 * retried while the page is known to be offline.
 */
export function isRetryable(problem: unknown, method: Method, page: Page): boolean {
  if (!(problem instanceof RestError)) return false;
  const { code, status, serverCode, cause } = problem;
  if (code === 'network' && (!page.isOnline() || isAbort(cause))) return false;
  const isTransient = code === 'network' || code === 'timeout' || isTransientStatus(status);
  return notExecuted.has(serverCode) || isNotYetValid(problem) || (isTransient && isRead(method));
}

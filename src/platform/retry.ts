import { backoffDelayMs, type BackoffOptions } from './backoff.ts';
import type { Clock, Platform } from './platform.ts';
import { untilEnded } from './until-aborted.ts';

/** Which failures are retried, how often, and after which delays. */
export interface RetryPolicy {
  /** Maximum number of retries. */
  readonly limit: number;
  /** The waits between attempts, where the failure has no `retryAfterSeconds`; may depend on the failure. */
  readonly backoff: BackoffOptions | ((problem: unknown) => BackoffOptions);
  /** No attempt begins later than this after the first, in milliseconds. Default: no such limit. */
  readonly maxElapsedMs?: number;
  /** Whether another attempt may succeed where this one failed. */
  readonly isRetryable: (problem: unknown) => boolean;
}

/** A rate limit, an overloaded or unreachable service (RFC 9110 §15.6), and Cloudflare's statuses for it. */
const transientStatuses: ReadonlySet<number | null> = new Set([
  429, 502, 503, 504, 520, 521, 522, 523, 524, 530,
]);

/** Whether a retry after this status may succeed, for every service. False for null, no response. */
export const isTransientStatus = (status: number | null): boolean => transientStatuses.has(status);

/**
 * Runs `attempt` until it succeeds, or fails permanently. A failure with a number in `retryAfterSeconds` (the server's
 * Retry-After) is retried after exactly that time.
 *
 * @param attempt called with 1, 2, …
 * @param signal ends the wait; an attempt in flight must observe the signal itself.
 * @throws what the last attempt threw, or the signal's reason.
 */
export async function retry<T>(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  { limit, backoff, maxElapsedMs = Infinity, isRetryable }: RetryPolicy,
  attempt: (number: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const startedMs = clock.monotonicMs();
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (problem) {
      if (number > limit || signal?.aborted || !isRetryable(problem)) throw problem;
      const retryAfterSeconds = retryAfterSecondsOf(problem);
      const delayMs =
        retryAfterSeconds === null
          ? backoffDelayMs(
              number,
              typeof backoff === 'function' ? backoff(problem) : backoff,
              random.number(),
            )
          : retryAfterSeconds * 1000;
      if (clock.monotonicMs() + delayMs - startedMs >= maxElapsedMs) throw problem;
      await wait(clock, delayMs, signal);
    }
  }
}

/** @throws the signal's reason as soon as it aborts. */
function wait(clock: Clock, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return untilEnded(
    () => new Promise<void>(() => undefined),
    { signal, clock, delayMs },
    (cause) => {
      if (cause === 'aborted') throw signal?.reason;
    },
  );
}

/**
 * A Retry-After header (RFC 9110 §10.2.3: seconds or an HTTP date) in seconds from `nowMs`; null if it is missing or invalid.
 */
export function parseRetryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (!header) return null;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

function retryAfterSecondsOf(problem: unknown): number | null {
  const seconds =
    problem instanceof Error && 'retryAfterSeconds' in problem ? problem.retryAfterSeconds : null;
  return typeof seconds === 'number' ? seconds : null;
}

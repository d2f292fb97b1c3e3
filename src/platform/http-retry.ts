import { HTTPError, type RetryOptions } from 'ky';
import { HttpFailure } from './http.ts';
import type { Random } from './platform.ts';

export interface RetryPolicy {
  /** How many further attempts may follow the first. */
  readonly limit: number;
  /** Longest wait in milliseconds before attempt n (1 = the first retry); full jitter is applied to it. */
  readonly delayMs: (attempt: number) => number;
  /**
   * Whether what happened allows another attempt. `undefined` leaves it to ky: idempotent methods, statuses that
   * it deems transient, and a Retry-After that is waited for.
   */
  readonly shouldRetry: (
    outcome: Response | HttpFailure,
  ) => Promise<boolean | undefined> | boolean | undefined;
}

/** A policy as the request takes it: apart, so that a bundle has it only where something is retried by ky. */
export function retrying({ limit, delayMs, shouldRetry }: RetryPolicy) {
  return (random: Random, ended: AbortSignal): RetryOptions => ({
    limit,
    delay: (attempt) => delayMs(attempt) * random.number(),
    shouldRetry: ({ error }) => {
      if (ended.aborted) return false;
      if (error instanceof HTTPError) return shouldRetry(error.response);
      return shouldRetry(error instanceof HttpFailure ? error : new HttpFailure('network', error));
    },
  });
}

import ky, { HTTPError } from 'ky';
import { backoffDelayMs, type BackoffOptions } from './backoff.ts';
import type { FetchFunction, Platform } from './platform.ts';

/** Which failed reads ky repeats, and after which waits. */
export interface RetryingFetchOptions {
  /** How many attempts may follow the first. */
  readonly limit: number;
  /** The waits where the server names none in Retry-After. */
  readonly backoff: BackoffOptions;
  /** Statuses of a failure that passes. */
  readonly statuses: readonly number[];
}

/**
 * A fetch that repeats reads (GET and HEAD) after a network fault or a transient status: one ky instance for all requests.
 * Storage uses it for transfers, which take far longer than ky itself. A response of any status is returned, never thrown.
 */
export function createRetryingFetch(
  { fetch, random }: Pick<Platform, 'fetch' | 'random'>,
  { limit, backoff, statuses }: RetryingFetchOptions,
): FetchFunction {
  const client = ky.create({
    fetch,
    timeout: false,
    retry: {
      limit,
      methods: ['get', 'head'],
      statusCodes: [...statuses],
      afterStatusCodes: [...statuses],
      delay: (attempt) => backoffDelayMs(attempt, backoff, random.number()),
    },
  });
  return async (input, init) => {
    try {
      return await client(input, init);
    } catch (problem) {
      if (problem instanceof HTTPError) return problem.response;
      throw problem;
    }
  };
}

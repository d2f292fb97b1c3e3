import ky, { HTTPError } from 'ky';
import type { Platform } from './platform.ts';
import { untilAborted } from './until-aborted.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  /** Deadline in milliseconds for the whole exchange: every attempt and the reading of the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Default: no retry. */
  readonly retry?: RetryPolicy;
  /** `keepalive` of fetch: the request may outlive the page. Default false. */
  readonly keepalive?: boolean;
}

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

/** `timeout`: the deadline passed; `aborted`: the caller's signal; `network`: no response could be had. */
export type HttpFailureKind = 'timeout' | 'aborted' | 'network';

/** No response. `cause` is what fetch threw, or the reason of the caller's signal. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: HttpFailureKind;
  constructor(kind: HttpFailureKind, cause: unknown) {
    super(`The request failed: ${kind}`, { cause });
    this.kind = kind;
  }
}

export interface Http {
  /**
   * Sends a request and reads its response. A response of any status is a response, never an error.
   *
   * @param read turns the response into the result; it runs within the deadline.
   * @throws {HttpFailure} if no response was had, or its body could not be read in time.
   */
  send<T>(request: HttpRequest, read: (response: Response) => Promise<T>): Promise<T>;
}

/** The one way in which the clients send HTTP requests. */
export function createHttp(platform: Pick<Platform, 'fetch' | 'clock' | 'random'>): Http {
  return {
    async send({ url, timeoutMs, signal, retry, method, headers, body, keepalive = false }, read) {
      const ended = new AbortController();
      let kind: HttpFailureKind = 'network';
      const end = (why: HttpFailureKind, reason: unknown) => {
        kind = why;
        ended.abort(reason);
      };
      const abort = () => end('aborted', signal?.reason);
      const classify = (problem: unknown) =>
        problem instanceof HttpFailure
          ? problem
          : new HttpFailure(kind, ended.signal.aborted ? ended.signal.reason : problem);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort, { once: true });
      const deadline = platform.clock.setTimer(
        () => end('timeout', new DOMException(`No answer within ${timeoutMs} ms`, 'TimeoutError')),
        timeoutMs,
      );
      try {
        ended.signal.throwIfAborted();
        const exchange = async () => {
          const response = await ky(url, {
            method,
            headers: { ...headers },
            ...(body === undefined ? {} : { body }),
            keepalive,
            cache: 'no-store',
            signal: ended.signal,
            timeout: false,
            throwHttpErrors: !!retry,
            fetch: platform.fetch,
            retry: retry
              ? {
                  limit: retry.limit,
                  delay: (attempt) => retry.delayMs(attempt) * platform.random.number(),
                  shouldRetry: ({ error }) =>
                    ended.signal.aborted
                      ? false
                      : retry.shouldRetry(error instanceof HTTPError ? error.response : classify(error)),
                }
              : { limit: 0 },
          }).catch((problem: unknown) => {
            if (problem instanceof HTTPError) return problem.response;
            throw problem;
          });
          return read(response);
        };
        // Neither a fetch that ignores its signal nor a body that never ends may outlive the deadline.
        return await untilAborted(exchange(), ended.signal);
      } catch (problem) {
        throw classify(problem);
      } finally {
        deadline.cancel();
        signal?.removeEventListener('abort', abort);
      }
    },
  };
}

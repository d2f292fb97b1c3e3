import ky, { type RetryOptions } from 'ky';
import type { Clock, Platform, Random } from './platform.ts';
import { untilAborted } from './until-aborted.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyInit | undefined;
  /** Deadline in milliseconds for the whole exchange: every attempt and the reading of the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Such as `retrying(…)` makes of a policy. Default: no retry. */
  readonly retry?: (random: Random, ended: AbortSignal) => RetryOptions;
  /** `keepalive` of fetch: the request may outlive the page. Default false. */
  readonly keepalive?: boolean | undefined;
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

/**
 * Does work that ends with the deadline or the caller's signal, even if it awaits something that knows of neither.
 *
 * @throws {HttpFailure} `timeout` or `aborted`; else whatever the work throws.
 */
export async function withinDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const ended = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  const deadline = clock.setTimer(
    () => late.abort(new DOMException(`No answer within ${timeoutMs} ms`, 'TimeoutError')),
    timeoutMs,
  );
  try {
    ended.throwIfAborted();
    return await untilAborted(work(ended), ended);
  } catch (problem) {
    throw ended.aborted ? new HttpFailure(signal?.aborted ? 'aborted' : 'timeout', ended.reason) : problem;
  } finally {
    deadline.cancel();
  }
}

/** The one way in which the clients send HTTP requests. */
export function createHttp(platform: Pick<Platform, 'fetch' | 'clock' | 'random'>): Http {
  return {
    async send({ url, timeoutMs, signal, retry, method, headers, body, keepalive = false }, read) {
      try {
        // Neither a fetch that ignores its signal nor a body that never ends may outlive the deadline.
        return await withinDeadline(platform.clock, timeoutMs, signal, async (ended) => {
          const response = await ky(url, {
            method,
            headers: { ...headers },
            ...(body === undefined ? {} : { body }),
            keepalive,
            cache: 'no-store',
            signal: ended,
            timeout: false,
            throwHttpErrors: !!retry,
            fetch: platform.fetch,
            retry: retry?.(platform.random, ended) ?? { limit: 0 },
          }).catch(
            (problem: { readonly response?: Response }) => problem.response ?? Promise.reject(problem),
          );
          return read(response);
        });
      } catch (problem) {
        throw problem instanceof HttpFailure ? problem : new HttpFailure('network', problem);
      }
    },
  };
}

import type { CallUser, GetAccessToken } from '../../platform/call-user.ts';
import type { Log } from '../../platform/log.ts';
import type { Platform } from '../../platform/platform.ts';
import { isTransientStatus, retry, type RetryPolicy } from '../../platform/retry.ts';
import { type Service, ServiceCall } from '../../platform/service-http.ts';
import { RestError, type RestErrorCode } from '../errors.ts';
import { isRead, type RestRequest, type Wire } from '../query/plan.ts';
import { parseError } from '../query/response.ts';
import { backoffOf, isRetryable, type RetryOptions } from './retry.ts';

/** A read that may be shared with identical ones. */
export interface SharedRead {
  /** `GET` or `HEAD`. */
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  /** Header values by name, credentials included, so users never share a read. */
  readonly headers: Readonly<Record<string, string>>;
  /** Runs the deadline. */
  readonly clock: Platform['clock'];
  /** Deadline of this caller, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends this caller's part in the read. Default: none. */
  readonly signal: AbortSignal | undefined;
}

/** Shares one request among identical reads in flight. See `shareReads`. */
export interface SharedReads {
  /**
   * Joins the identical read in flight, or starts one. Each caller leaves with its own signal or deadline; the request is
   * aborted when the last one has left.
   */
  join<T>(read: SharedRead, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Called when a write begins and when it ends: later reads do not join reads that may not include the write. */
  forget(): void;
}

/** How requests are sent: credentials, deadlines, retries, events. */
export interface ExchangeOptions {
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random' | 'page'> &
    Partial<Pick<Platform, 'report'>>;
  /** The project's publishable key, or its legacy anonymous token. */
  readonly apiKey: string;
  /**
   * The signed-in user's access token, or null. `rejectedToken` is a token that the server has just refused as expired.
   * Default: no user.
   */
  readonly getAccessToken?: GetAccessToken;
  /** Deadline for a whole execution with its retries, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
  /** Deadline for each attempt, in milliseconds. Default 10 000. */
  readonly attemptTimeoutMs?: number;
  /** How failed requests are retried. */
  readonly retry?: Partial<RetryOptions>;
  /** Receives one event per exchange, without tokens, bodies and query strings. Default: none. */
  readonly log?: Log;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: () => string | null;
  /** Enables `shareInFlight` of an execution: `shareReads`. Default: none. */
  readonly shareReads?: () => SharedReads;
}

export interface RestSendOptions {
  /** Ends the execution; the error is `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline for the execution with its retries, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Whether failures are retried. Default true. */
  readonly retry?: boolean | undefined;
  /** `keepalive` of fetch. Default false. */
  readonly keepalive?: boolean | undefined;
  /** Whether a read joins an identical read in flight. Default false. */
  readonly shareInFlight?: boolean | undefined;
  /** The user of earlier executions; another one ends this one with `user-changed`. Default: the user at its start. */
  readonly user?: CallUser | undefined;
}

const isTokenExpired = (problem: unknown) => problem instanceof RestError && problem.code === 'token-expired';

/** Codes of refusals that the headers of a response to a HEAD explain. */
const tokenRefusals: ReadonlySet<RestErrorCode> = new Set([
  'token-expired',
  'token-not-yet-valid',
  'invalid-claims',
]);

/** Whether a body would add nothing: the status shows the cause, the token was refused, or no response arrived. */
const isBodyRedundant = ({ code, status }: RestError) =>
  status === null || isTransientStatus(status) || tokenRefusals.has(code);

const restService: Service = {
  name: 'rest',
  errorClass: RestError,
  createTokenError: (message, cause) => new RestError('token-unavailable', message, { cause }),
  isTokenExpired,
  isDenied: (problem) => problem instanceof RestError && problem.status === 403,
};

/** Sends requests with credentials, deadlines, retries and one refresh of an expired token. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #backoff: RetryPolicy['backoff'];
  readonly #sharedReads: SharedReads | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#backoff = backoffOf(options.retry ?? {});
    this.#sharedReads = options.shareReads?.();
  }

  /**
   * Sends a request and returns a successful response.
   *
   * @throws {RestError} for any other response, and if none arrives.
   */
  async send(request: RestRequest, sendOptions: RestSendOptions = {}): Promise<Wire> {
    const { platform, timeoutMs: ownTimeoutMs = 30_000 } = this.#options;
    const { signal, retry: isRepeated = true, timeoutMs = ownTimeoutMs, user } = sendOptions;
    const { method } = request;
    const call = new ServiceCall(this.#options, restService, { timeoutMs, signal, user });
    const attempt = (headers: RestRequest['headers']) => {
      const authorized = { ...request, headers };
      return method === 'HEAD'
        ? this.#attemptHead(call, authorized, sendOptions)
        : this.#attempt(call, authorized, sendOptions);
    };
    const policy: RetryPolicy = {
      limit: isRepeated ? (this.#options.retry?.limit ?? 3) : 0,
      backoff: this.#backoff,
      maxElapsedMs: timeoutMs,
      isRetryable: (problem) => isRetryable(problem, method, platform.page),
    };
    if (!isRead(method)) this.#sharedReads?.forget();
    try {
      return await retry(platform, policy, () => call.authorize(request, attempt), signal);
    } catch (problem) {
      // An abort during the wait between two attempts rejects with the signal's own reason.
      throw signal?.aborted ? new RestError('aborted', 'Aborted', { cause: signal.reason }) : problem;
    } finally {
      if (!isRead(method)) this.#sharedReads?.forget();
    }
  }

  #attempt(call: ServiceCall, request: RestRequest, sendOptions: RestSendOptions): Promise<Wire> {
    const { platform, attemptTimeoutMs = 10_000 } = this.#options;
    const { signal, keepalive, shareInFlight = false } = sendOptions;
    const { method, url, headers, body } = request;
    const sent = { method, url, headers, body, keepalive, signal, timeoutMs: attemptTimeoutMs };
    if (!shareInFlight || !isRead(method)) return call.exchange(sent, this.#read);
    if (!this.#sharedReads) throw new RestError('invalid-options', 'shareInFlight needs shareReads');
    const timeoutMs = Math.min(attemptTimeoutMs, call.remainingMs);
    return this.#sharedReads.join(
      { method, url, headers, clock: platform.clock, timeoutMs, signal },
      (ended) => call.exchange({ ...sent, signal: ended }, this.#read),
    );
  }

  /** The response to a HEAD has no body with an error: send a GET of no rows for it, unless its status or headers suffice. */
  async #attemptHead(call: ServiceCall, request: RestRequest, sendOptions: RestSendOptions): Promise<Wire> {
    try {
      return await this.#attempt(call, request, sendOptions);
    } catch (problem) {
      if (problem instanceof RestError && !isBodyRedundant(problem)) {
        const url = `${request.url}${request.url.includes('?') ? '&' : '?'}limit=0`;
        await this.#attempt(call, { ...request, method: 'GET', url }, sendOptions);
      }
      throw problem;
    }
  }

  readonly #read = async (response: Response): Promise<Wire> => {
    const { status, headers } = response;
    const wire = { status, headers, text: await response.text() };
    if (status >= 300) throw parseError(wire, this.#options.platform.clock.now());
    return wire;
  };
}

import { createHttp, HttpFailure, untilDeadline } from '../../platform/http.ts';
import type { Log } from '../../platform/log.ts';
import type { Platform } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { credentialsOf } from '../../platform/service.ts';
import { RestError } from '../errors.ts';
import { isRead, type RestRequest, type Wire } from '../query/plan.ts';
import { parseError } from '../query/answer.ts';
import { createRetryPolicies, type RetryOptions } from './retry.ts';

/** A read that may be shared with identical ones. */
export interface SharedRead {
  /** `GET` or `HEAD`. */
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  /** Header values by name, credentials included: another user's read is another one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Runs the deadline. */
  readonly clock: Platform['clock'];
  /** Deadline of this caller, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends this caller's part in the read. Default: none. */
  readonly signal: AbortSignal | undefined;
}

/** Identical reads in flight, of which each needs one request. See `shareReads`. */
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
  /** The runtime's fetch, clock, random numbers and page. */
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random' | 'page'> &
    Partial<Pick<Platform, 'report'>>;
  /** The project's publishable key, or its legacy anonymous token. */
  readonly apiKey: string;
  /**
   * The signed-in user's access token, or null. `rejectedToken` is a token that the server has just called expired.
   * Default: no user.
   */
  readonly getAccessToken?: (options?: { readonly rejectedToken?: string }) => Promise<string | null>;
  /** Deadline for a whole execution with its retries, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
  /** Deadline for each attempt, in milliseconds. Default 10 000. */
  readonly attemptTimeoutMs?: number;
  /** How failed requests are repeated. */
  readonly retry?: Partial<RetryOptions>;
  /** Receives one event per exchange, without tokens, bodies and query strings. Default: none. */
  readonly log?: Log;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: () => string | null;
  /** Enables `shareInFlight` of an execution: `shareReads` of `./rest-client/share-reads`. Default: none. */
  readonly shareReads?: () => SharedReads;
}

/** The options of one execution that concern sending. */
export interface SendOptions {
  /** Ends the execution; the error is `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline for the execution with its retries, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** `keepalive` of fetch. Default false. */
  readonly keepalive?: boolean | undefined;
  /** Whether a read joins an identical read in flight. Default false. */
  readonly shareInFlight?: boolean | undefined;
}

/**
 * Sends a request and returns a successful answer.
 *
 * @throws {RestError} for any other answer, and if none arrives.
 */
export type Exchange = (request: RestRequest, options?: SendOptions) => Promise<Wire>;

/** Sends requests with credentials, deadlines, retries and one refresh of an expired token. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { platform, apiKey, attemptTimeoutMs = 10_000, getAccessToken } = options;
  const { clock, page } = platform;
  const retryPolicyOf = createRetryPolicies(
    { limit: 3, baseDelayMs: 300, maxDelayMs: 5000, ...options.retry },
    page,
  );
  const http = createHttp(platform, { service: 'rest', log: options.log, traceparent: options.traceparent });
  const sharedReads = options.shareReads?.();

  function send(request: RestRequest, token: string | null, execution: Execution): Promise<Wire> {
    const { signal, keepalive, shareInFlight = false, endsAtMs } = execution;
    const headers = { ...credentialsOf(apiKey, token), ...request.headers };
    const timeoutMs = Math.min(attemptTimeoutMs, Math.max(0, endsAtMs - clock.monotonicMs()));
    const { method, url, body } = request;
    const sendUntil = (ended: AbortSignal | undefined) =>
      http.send({ method, url, body, headers, keepalive, timeoutMs, signal: ended }, readWire);
    if (!isRead(method)) {
      sharedReads?.forget();
      return sendUntil(signal).finally(() => sharedReads?.forget());
    }
    if (!shareInFlight) return sendUntil(signal);
    if (!sharedReads) throw new RestError('invalid-options', 'shareInFlight needs shareReads');
    return sharedReads.join({ method, url, headers, clock, timeoutMs, signal }, sendUntil);
  }

  /** One attempt with one token. Returns a successful answer; throws the error of any other. */
  async function attempt(request: RestRequest, token: string | null, execution: Execution): Promise<Wire> {
    const wire = await send(request, token, execution);
    if (wire.status < 300) return wire;
    const error = parseError(wire, clock.now());
    // A HEAD has no body with the reason, and CORS hides the header that has it: send a GET of no rows for it.
    if (request.method === 'HEAD' && error.serverCode === null) {
      const url = `${request.url}${request.url.includes('?') ? '&' : '?'}limit=0`;
      await attempt({ ...request, method: 'GET', url }, token, execution);
    }
    throw error;
  }

  async function findToken(
    { endsAtMs, signal }: Execution,
    rejected?: { readonly rejectedToken: string },
  ): Promise<string | null> {
    if (!getAccessToken) return null;
    if (signal?.aborted) throw new HttpFailure('aborted', signal.reason);
    return untilDeadline(clock, endsAtMs - clock.monotonicMs(), signal, getAccessToken(rejected));
  }

  /** Attempts of one execution. A token that the server calls expired is renewed once, and the request sent again. */
  function attemptsOf(request: RestRequest, execution: Execution): () => Promise<Wire> {
    let token: string | null | undefined;
    let isRenewed = false;
    return async () => {
      try {
        if (token === undefined) token = await findToken(execution);
        try {
          return await attempt(request, token, execution);
        } catch (problem) {
          const rejectedToken = token;
          const isExpired = problem instanceof RestError && problem.code === 'token-expired';
          if (!isExpired || isRenewed || !rejectedToken) throw problem;
          isRenewed = true;
          token = await findToken(execution, { rejectedToken });
          if (!token || token === rejectedToken) throw problem;
          return await attempt(request, token, execution);
        }
      } catch (problem) {
        throw toRestError(problem);
      }
    };
  }

  return async (request, sendOptions = {}) => {
    const { signal, timeoutMs = options.timeoutMs ?? 30_000 } = sendOptions;
    const execution = { ...sendOptions, endsAtMs: clock.monotonicMs() + timeoutMs };
    try {
      return await retry(
        platform,
        retryPolicyOf(request.method, timeoutMs),
        attemptsOf(request, execution),
        signal,
      );
    } catch (problem) {
      // An abort during the wait between two attempts rejects with the signal's own reason.
      throw signal?.aborted ? new RestError('aborted', 'Aborted', { cause: signal.reason }) : problem;
    }
  };
}

/** One execution: how it is sent, and when it ends. */
interface Execution extends SendOptions {
  /** The end of its deadline on the monotonic clock, in milliseconds. */
  readonly endsAtMs: number;
}

async function readWire(response: Response): Promise<Wire> {
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

/** An error that neither the server nor the network caused was thrown by `getAccessToken`. */
function toRestError(problem: unknown): RestError {
  if (problem instanceof RestError) return problem;
  return problem instanceof HttpFailure
    ? new RestError(problem.kind, problem.message, { cause: problem.cause })
    : new RestError('token-unavailable', 'No access token', { cause: problem });
}

import type { HttpLogEvent, Log, ServiceName } from './log.ts';
import type { Clock, Platform } from './platform.ts';
import { untilEnded } from './until-aborted.ts';

/** Header values by name. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** A request, as `sendHttp` takes it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderRecord;
  /** Default: no body. */
  readonly body?: BodyInit | undefined;
  /** Deadline in milliseconds for the whole exchange, including reading the body. */
  readonly timeoutMs: number;
  /** Ends the exchange; the failure is `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** `keepalive` of fetch: the request may outlive the page. Default false. */
  readonly keepalive?: boolean | undefined;
  /** The body is read after the exchange; the signal also aborts this read. Default false. */
  readonly isStreamed?: boolean | undefined;
  /** `error`: a redirect fails the exchange, and nothing is sent to its target. Default `error`. */
  readonly redirect?: 'error' | 'follow' | undefined;
}

/**
 * `timeout`: the deadline passed; `aborted`: the caller's signal; `network`: no response arrived; `redirected`: the
 * response is a redirect.
 */
export type HttpFailureKind = 'timeout' | 'aborted' | 'network' | 'redirected';

const messages: Readonly<Record<HttpFailureKind, string>> = {
  timeout: 'The server did not respond in time',
  aborted: 'The request was aborted',
  network: "No response: check the connection and the project's URL",
  redirected: "The server redirected the request, which was not followed: check the project's URL",
};

/** No response. `cause` is what fetch threw, or the reason of the caller's signal. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  /** Why there is no response. */
  readonly kind: HttpFailureKind;
  constructor(kind: HttpFailureKind, cause: unknown) {
    super(messages[kind], { cause });
    this.kind = kind;
  }
}

/** The part of a service's description that sending needs. */
export interface HttpService {
  /** The service's name in log events. */
  readonly name: ServiceName;
  /** The client's error class: an error of it reaches the caller unchanged, and is thrown for a request without a response. */
  readonly errorClass: new (
    code: HttpFailureKind | 'user-changed' | 'invalid-options',
    message: string,
    fields: { readonly cause?: unknown },
  ) => Error;
}

/** Options of all requests of one client. */
export interface HttpOptions {
  readonly platform: Pick<Platform, 'fetch' | 'clock'> & Partial<Pick<Platform, 'report'>>;
  /** Receives an event per exchange. Default: none. */
  readonly log?: Log | undefined;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: (() => string | null) | undefined;
}

/**
 * Awaits work no longer than the deadline and the caller's signal allow, and does not begin it if the signal has aborted. Work that
 * ignores both continues unseen.
 *
 * @param controller aborted at the deadline and with the caller's signal, for work that listens to it. Default: none.
 * @throws {HttpFailure} `timeout` or `aborted`; else what the work throws.
 */
export function withinDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  controller?: AbortController,
): Promise<T> {
  if (signal?.aborted) return Promise.reject(new HttpFailure('aborted', signal.reason));
  return untilEnded(work, { signal, clock, delayMs: timeoutMs }, (cause) => {
    const reason: unknown = cause === 'timeout' ? timeoutError(timeoutMs) : signal?.reason;
    controller?.abort(reason);
    throw new HttpFailure(cause, reason);
  });
}

/** A DOMException where the runtime has one; React Native has none. */
function timeoutError(timeoutMs: number): Error {
  const message = `No response within ${timeoutMs} ms`;
  if (typeof DOMException === 'function') return new DOMException(message, 'TimeoutError');
  return Object.assign(new Error(message), { name: 'TimeoutError' });
}

/** Not in React Native: its fetch has no cache, and for `no-store` adds a parameter to the URL, which PostgREST takes for a filter. */
const hasCacheMode = () => typeof Request === 'function' && 'cache' in Request.prototype;

/**
 * Sends a request through the platform's fetch and reads its response. A response of any status is a response, never an error.
 *
 * @param read turns the response into the result; it runs within the deadline.
 * @throws {HttpFailure} if there was no response, or its body could not be read in time; the client's errors that `read` throws.
 */
export async function sendHttp<T>(
  { platform, log, traceparent: nextTraceparent }: HttpOptions,
  { name: service, errorClass }: HttpService,
  request: HttpRequest,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { method, url, headers, body, keepalive = false, redirect = 'error', timeoutMs, signal } = request;
  const { fetch, clock } = platform;
  const traceparent = nextTraceparent?.() ?? null;
  const controller = new AbortController();
  const init: RequestInit & { duplex?: 'half'; headers: HeaderRecord } = {
    method,
    headers: traceparent === null ? headers : { ...headers, traceparent },
    keepalive,
    body: body ?? null,
    // With `error`, fetch does not distinguish a redirect from a network failure.
    redirect: redirect === 'error' ? 'manual' : redirect,
    signal: request.isStreamed && signal ? joinSignals(signal, controller) : controller.signal,
  };
  // Responses to reads stay out of the browser's cache. The mode is set for reads only, because Chromium then also skips its cache of preflights.
  if ((method === 'GET' || method === 'HEAD') && hasCacheMode()) init.cache = 'no-store';
  // Without `duplex`, fetch refuses a stream as a body.
  if (isStream(body)) init.duplex = 'half';
  const exchange = async () => {
    const response = await fetch(url, init);
    ({ status } = response);
    if (redirect === 'error' && isRedirect(response)) throw await refuseRedirect(response);
    return await read(response);
  };
  const startedMs = log ? clock.monotonicMs() : 0;
  let status: number | null = null;
  let failure: HttpFailureKind | null = null;
  try {
    // Neither a fetch that ignores its signal nor a body that never ends may outlive the deadline.
    return await withinDeadline(clock, timeoutMs, signal, exchange, controller);
  } catch (thrown) {
    if (thrown instanceof errorClass) throw thrown;
    const problem = toFailure(thrown, init.headers);
    failure = problem.kind;
    throw problem;
  } finally {
    if (log) {
      const durationMs = clock.monotonicMs() - startedMs;
      const path = url.replace(/^https?:\/\/[^/?#]*|[?#].*$/g, '');
      report(platform, log, {
        type: 'http',
        service,
        method,
        path,
        status,
        failure,
        durationMs,
        traceparent,
      });
    }
  }
}

/** Joins a caller's signal, which may outlive many requests and so must keep no listener, with the controller's. */
function joinSignals(signal: AbortSignal, controller: AbortController): AbortSignal {
  if ('any' in AbortSignal) return AbortSignal.any([signal, controller.signal]);
  // React Native cannot join signals.
  signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  return controller.signal;
}

const toFailure = (thrown: unknown, headers: HeaderRecord): HttpFailure =>
  thrown instanceof HttpFailure ? thrown : new HttpFailure('network', invalidHeaderError(headers) ?? thrown);

/** 300 is not a redirect of fetch: PostgREST sends it when an embedding is ambiguous. */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Browsers hide the status of a redirect that they do not follow. */
const isRedirect = ({ type, status }: Response) => type === 'opaqueredirect' || redirectStatuses.has(status);

/** Credentials are for the project's origin alone, and fetch would pass on `apikey` and the body. */
async function refuseRedirect(response: Response): Promise<HttpFailure> {
  await response.body?.cancel();
  return new HttpFailure('redirected', null);
}

/** Replaces fetch's own error for such a header, which quotes the value: a token or a key. */
function invalidHeaderError(headers: HeaderRecord): TypeError | null {
  const invalid = Object.entries(headers).find(([, value]) => /[\0\r\n]|[^\0-\xff]/.test(value.trim()));
  return invalid ? new TypeError(`The header ${invalid[0]} has characters that HTTP does not allow`) : null;
}

/** False for every value in React Native, which has no streams. */
export const isStream = (body: unknown): body is ReadableStream =>
  typeof ReadableStream === 'function' && body instanceof ReadableStream;

function report(platform: HttpOptions['platform'], log: Log, event: HttpLogEvent): void {
  try {
    log(event);
  } catch (problem) {
    platform.report?.(problem);
  }
}

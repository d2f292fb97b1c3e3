import { doublingDelaysMs } from '../platform/backoff.ts';
import type { Platform } from '../platform/platform.ts';
import type { Log } from '../platform/log.ts';
import { parseRetryAfterSeconds, retry } from '../platform/retry.ts';
import { configurationProblem, credentialsOf, serviceUrl } from '../platform/service.ts';
import { createServiceHttp, type ServiceHttp } from '../platform/service-http.ts';
import { StorageError, storageErrorCode } from './errors.ts';

/** Options of `createStorageClient`. */
export interface StorageClientOptions {
  /** The project's URL (http or https), without `/storage/v1`. */
  readonly url: string;
  /** The publishable or anonymous key; on a server, the secret one. */
  readonly apiKey: string;
  /** The seam to the runtime, such as `createBrowserPlatform()`. */
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random' | 'createXhr'>;
  /** The signed-in user's token, or null. `rejectedToken` is a token that the server has just called expired. Default: no user. */
  readonly getAccessToken?: (options?: { readonly rejectedToken?: string }) => Promise<string | null>;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Deadline in milliseconds of a whole call: its token, its retries and its body. Default 60 000. */
  readonly timeoutMs?: number;
  /** Receives an event per exchange, without tokens and bodies. Default: none. */
  readonly log?: Log;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: () => string | null;
}

/** Options that every call takes. */
export interface CallOptions {
  /** Ends the call; its error has the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline in milliseconds of the whole call. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Added to the request; they win over the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** One request of the service. */
export interface StorageRequest extends CallOptions {
  readonly method: string;
  /** Below `/storage/v1`, percent-encoded. */
  readonly path: string;
  /** The client's headers, such as those that encode the options of an upload. */
  readonly ownHeaders?: Readonly<Record<string, string>> | undefined;
  readonly body?: BodyInit | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** Sends the requests of the storage client. */
export interface Transport {
  /** `<project>/storage/v1`. */
  readonly base: string;
  /** Begins calls of several requests, such as those of a resumable upload. */
  readonly http: ServiceHttp;
  /**
   * Sends a request and reads its response; reads are retried, an expired token is refreshed once.
   *
   * @throws {StorageError} for every response but a success.
   */
  send<T>(request: StorageRequest, read: (response: Response) => Promise<T>): Promise<T>;
}

/** Reads are retried after a network fault or a transient status. */
const readRetry = {
  limit: 2,
  backoff: { delaysMs: doublingDelaysMs(600, 1_200), jitter: 'full' },
} as const;
const transientStatuses: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);

/** @throws {StorageError} `invalid-options`. */
export function createTransport(options: StorageClientOptions): Transport {
  const { platform, apiKey, headers, getAccessToken, log, traceparent } = options;
  const problem = configurationProblem(options);
  if (problem) throw new StorageError('invalid-options', problem);
  const base = serviceUrl(options.url, 'storage');
  const { clock } = platform;
  const http = createServiceHttp({
    service: 'storage',
    platform,
    headers,
    log,
    traceparent,
    getAccessToken,
    credentials: (token) => credentialsOf(apiKey, token),
    isTokenExpired,
    isOwnError: (thrown) => thrown instanceof StorageError,
    createError: (code, message, cause) => new StorageError(code, message, { cause }),
    createTokenError: (message, cause) => new StorageError('token-unavailable', message, { cause }),
  });
  return {
    base,
    http,
    send({ path, json, timeoutMs = options.timeoutMs ?? 60_000, signal, ...request }, read) {
      const isJson = json !== undefined;
      const ownHeaders = { ...(isJson && { 'content-type': 'application/json' }), ...request.ownHeaders };
      const body = isJson ? JSON.stringify(json) : request.body;
      const sent = { ...request, url: base + path, ownHeaders, body };
      const call = http.begin({ timeoutMs, signal });
      // A body that breaks off is not read again: its bytes may have reached the caller.
      let isAnswered = false;
      const attempt = () =>
        call.send(sent, async (response) => {
          if (!response.ok) throw await readError(response, clock.now());
          isAnswered = true;
          return read(response);
        });
      if (request.method !== 'GET' && request.method !== 'HEAD') return attempt();
      const isRetryable = (thrown: unknown) =>
        thrown instanceof StorageError &&
        !isAnswered &&
        (thrown.code === 'network' || transientStatuses.has(thrown.status));
      return call.wait(() =>
        retry(platform, { ...readRetry, maxElapsedMs: timeoutMs, isRetryable }, attempt, signal),
      );
    },
  };
}

/** Whether the service refused a token as expired: it has no code for that, only words of its token library. */
function isTokenExpired(problem: unknown): boolean {
  return problem instanceof StorageError && /jwt expired|"exp" claim/i.test(problem.message);
}

/** @throws {StorageError} `gateway` for anything but JSON. */
export async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new StorageError('gateway', 'The response is not JSON', { status: response.status, cause });
  }
}

/** The refusal in a response. */
export async function readError(response: Response, nowMs: number): Promise<StorageError> {
  const text = await response.text();
  const body = parseBody(text);
  const status = Number(body?.['statusCode']) || response.status;
  const field = (name: string) => (typeof body?.[name] === 'string' ? body[name] : '');
  const serverCode = field('code') || field('error');
  // Refusals of resumable uploads are texts: the protocol's header tells them from a proxy's page.
  const isTus = response.headers.has('tus-resumable');
  const code = text && !body && !isTus ? 'gateway' : storageErrorCode(serverCode, status);
  const message = field('message') || (isTus && text.trim()) || `HTTP ${status}`;
  return new StorageError(code, message, {
    status,
    serverCode: serverCode || null,
    retryAfterSeconds: parseRetryAfterSeconds(response.headers.get('retry-after'), nowMs),
  });
}

function parseBody(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

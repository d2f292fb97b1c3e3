import type { CallUser, GetAccessToken } from '../platform/call-user.ts';
import { doublingDelaysMs } from '../platform/backoff.ts';
import type { Platform } from '../platform/platform.ts';
import type { Log } from '../platform/log.ts';
import { isTransientStatus, parseRetryAfterSeconds, retry } from '../platform/retry.ts';
import { duration } from '../platform/number-options.ts';
import { configurationProblem, serviceUrl } from '../platform/service.ts';
import { foreignResponse } from '../platform/foreign-response.ts';
import type { Schema } from '../platform/schema.ts';
import { type OwnHeaders, type Service, ServiceCall } from '../platform/service-http.ts';
import { StorageError, storageErrorCode } from './errors.ts';

/** Options of `createStorageClient`. */
export interface StorageClientOptions {
  /** The project's URL (http or https), without `/storage/v1`. */
  readonly url: string;
  /** The publishable or anonymous key; on a server, the secret one. */
  readonly apiKey: string;
  /** The runtime, such as `createPlatform()`. */
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random' | 'createXhr'>;
  /**
   * The signed-in user's token, or null. `rejectedToken` is a token that the server has just refused as expired. Default: no
   * user.
   */
  readonly getAccessToken?: GetAccessToken;
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
  /** Added to the request; they override the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The user of earlier calls; another one ends this call with `user-changed`. Default: the user at its start. */
  readonly user?: CallUser | undefined;
}

export interface StorageRequest {
  readonly method: string;
  /** Below `/storage/v1`, percent-encoded. */
  readonly path: string;
  /** The client's headers, such as those that encode the options of an upload. */
  readonly ownHeaders?: OwnHeaders | undefined;
  readonly body?: BodyInit | undefined;
  readonly json?: unknown;
  /** The body is read after the call; the signal ends that too. Default false. */
  readonly isStreamed?: boolean | undefined;
}

export interface Transport {
  /** `<project>/storage/v1`. */
  readonly base: string;
  /**
   * Sends a request and reads its response; reads are retried, an expired token is refreshed once.
   *
   * @param options the options of the method; the transport uses those of every call.
   * @param read proves that the service sent the response, and reads it.
   * @throws {StorageError} for every response but a success.
   */
  send<T>(
    request: StorageRequest,
    options: CallOptions | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T>;
}

/** The service, for calls of several requests, such as those of a resumable upload. */
export const storageService: Service = {
  name: 'storage',
  errorClass: StorageError,
  createTokenError: (message, cause) => new StorageError('token-unavailable', message, { cause }),
  // The service has no code for it, only words of its token library.
  isTokenExpired: (problem) =>
    problem instanceof StorageError && /jwt expired|"exp" claim timestamp/i.test(problem.message),
};

/** Reads are retried after a network fault or a transient status. */
const readRetry = {
  limit: 2,
  backoff: { delaysMs: doublingDelaysMs(600, 1_200), jitter: 'full' },
} as const;

/** @throws {StorageError} `invalid-options`. */
export function createTransport(client: StorageClientOptions): Transport {
  const problem = configurationProblem(client, { timeoutMs: duration });
  if (problem) throw new StorageError('invalid-options', problem);
  const { platform } = client;
  const base = serviceUrl(client.url, 'storage');
  return {
    base,
    send({ path, json, ...request }, options = {}, read) {
      const { signal, headers, timeoutMs = client.timeoutMs ?? 60_000, user } = options;
      const isJson = json !== undefined;
      const ownHeaders = { 'content-type': isJson ? 'application/json' : undefined, ...request.ownHeaders };
      const body = isJson ? JSON.stringify(json) : request.body;
      const sent = { ...request, url: base + path, ownHeaders, headers, body };
      const call = new ServiceCall(client, storageService, { timeoutMs, signal, user });
      // A body that breaks off is not read again: its bytes may have reached the caller.
      let hasResponse = false;
      const attempt = () =>
        call.send(sent, async (response) => {
          if (!response.ok) throw await readError(response, platform.clock.now());
          hasResponse = true;
          return read(response);
        });
      if (request.method !== 'GET' && request.method !== 'HEAD') return attempt();
      const isRetryable = (thrown: unknown) =>
        thrown instanceof StorageError &&
        !hasResponse &&
        (thrown.code === 'network' || isTransientStatus(thrown.status));
      return call.wait(() =>
        retry(platform, { ...readRetry, maxElapsedMs: timeoutMs, isRetryable }, attempt, signal),
      );
    },
  };
}

/** Reads JSON with the members that the service promises. @throws {StorageError} `not-the-service` for anything else. */
export const readJson =
  <T>(shape: Schema<unknown>) =>
  async (response: Response): Promise<T> => {
    const text = await response.text();
    try {
      return shape(JSON.parse(text)) as T;
    } catch (cause) {
      throw new StorageError(...foreignResponse('storage', response, text, cause));
    }
  };

export async function readError(response: Response, nowMs: number): Promise<StorageError> {
  const text = await response.text();
  const body = parseBody(text);
  const status = Number(body?.['statusCode']) || response.status;
  const field = (name: string) => (typeof body?.[name] === 'string' ? body[name] : '');
  const serverCode = field('code') || field('error');
  // Refusals of resumable uploads are texts: the protocol's header distinguishes them from a proxy's page.
  const isTus = response.headers.has('tus-resumable');
  const retryAfterSeconds = parseRetryAfterSeconds(response.headers.get('retry-after'), nowMs);
  if (text && !body && !isTus && status !== 429) {
    const [code, message, fields] = foreignResponse('storage', response, text);
    return new StorageError(code, message, { ...fields, retryAfterSeconds });
  }
  const message = field('message') || (isTus && text.trim()) || `HTTP ${status}`;
  const fields = { status, serverCode: serverCode || null, retryAfterSeconds };
  return new StorageError(storageErrorCode(serverCode, status), message, fields);
}

function parseBody(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

import { createHttp, HttpFailure, withinDeadline } from '../platform/http.ts';
import { createRetryingFetch, type RetryingFetchOptions } from '../platform/http-retry.ts';
import { doublingDelaysMs } from '../platform/backoff.ts';
import type { Platform } from '../platform/platform.ts';
import { configurationProblem, credentialsOf, serviceUrl } from '../platform/service.ts';
import { kindOfStorageError, StorageError } from './errors.ts';

export interface StorageClientOptions {
  /** The project's URL, without `/storage/v1`. */
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random'>;
  /** The signed-in user's token, or null. `rejectedToken` is one that the server has just called expired. */
  readonly getAccessToken?: (options?: { readonly rejectedToken?: string }) => Promise<string | null>;
  /** Deadline for a whole request with its token and its body, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number;
}

export interface StorageRequest {
  readonly method: string;
  /** Below `/storage/v1`, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  readonly base: string;
  /** @throws {StorageError} for any answer but success. */
  send<T>(request: StorageRequest, read: (response: Response) => Promise<T>): Promise<T>;
}

/** Reads are repeated when the network or a gateway fails for a moment. */
const readRetry: RetryingFetchOptions = {
  limit: 2,
  backoff: { delaysMs: doublingDelaysMs(600, 1200), jitter: 'full' },
  statuses: [429, 502, 503, 504],
};

export function createTransport(options: StorageClientOptions): Transport {
  const { platform, apiKey, timeoutMs = 60_000, getAccessToken = async () => null } = options;
  const problem = configurationProblem(options);
  if (problem) throw new StorageError('configuration-incomplete', problem);
  const base = serviceUrl(options.url, 'storage');
  const http = createHttp({ fetch: createRetryingFetch(platform, readRetry), clock: platform.clock });

  async function attempt<T>(
    request: StorageRequest,
    token: string | null,
    read: (response: Response) => Promise<T>,
  ) {
    const { method, path, headers, json, signal } = request;
    const body = json === undefined ? request.body : JSON.stringify(json);
    return http.send(
      {
        method,
        url: base + path,
        timeoutMs,
        headers: {
          ...credentialsOf(apiKey, token),
          ...(json !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      },
      async (response) => {
        if (!response.ok) throw await readError(response);
        return read(response);
      },
    );
  }

  async function tokenAfter(rejectedToken?: string): Promise<string | null> {
    try {
      return await getAccessToken(rejectedToken === undefined ? undefined : { rejectedToken });
    } catch (cause) {
      throw new StorageError('token-unavailable', 'No access token', { cause });
    }
  }

  return {
    base,
    send: (request, read) =>
      withinDeadline(platform.clock, timeoutMs, request.signal, async (signal) => {
        const sendWith = (token: string | null) => attempt({ ...request, signal }, token, read).catch(unwrap);
        const token = await tokenAfter();
        try {
          return await sendWith(token);
        } catch (problem) {
          if (
            !token ||
            !(problem instanceof StorageError) ||
            !/jwt expired|"exp" claim/i.test(problem.message)
          )
            throw problem;
          const fresh = await tokenAfter(token);
          if (!fresh || fresh === token) throw problem;
          return sendWith(fresh);
        }
      }).catch(unwrap),
  };
}

/** What the reading of an answer threw is a failure's cause; no answer is an error of its own. */
function unwrap(problem: unknown): never {
  const cause: unknown = problem instanceof Error ? problem.cause : problem;
  if (cause instanceof StorageError) throw cause;
  throw problem instanceof HttpFailure ? new StorageError(problem.kind, problem.message, { cause }) : problem;
}

export async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new StorageError('gateway', 'The answer is not JSON', { status: response.status, cause });
  }
}

async function readError(response: Response): Promise<StorageError> {
  const text = await response.text();
  const body = parseBody(text);
  const status = Number(body?.['statusCode']) || response.status;
  const field = (name: string) => (typeof body?.[name] === 'string' ? body[name] : '');
  const code = field('code') || field('error');
  const kind = text && !body ? 'gateway' : kindOfStorageError(code, status);
  return new StorageError(kind, field('message') || `HTTP ${status}`, { status, code });
}

function parseBody(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

import { isReadableByUsers, secretKeyProblem } from 'supabase-protocol-clients/platform';
import ky, { type KyInstance } from 'ky';
import {
  isTransientResponse,
  readRetryAfterSeconds,
  requestError,
  SenderError,
  transientStatuses,
} from './errors.ts';

/** The project, and the key that may send. */
export interface SenderOptions {
  /** `https://<ref>.supabase.co`; http only for hosts of this machine and its container network. */
  readonly url: string;
  /** `sb_secret_…`, or the legacy key of the service role. Never in a browser: it reads and writes everything. */
  readonly secretKey: string;
  /**
   * How many attempts may follow a transient failure. The wait before one is the project's `Retry-After`, up to a minute, or up to
   * 0.5, 1, 2, … seconds. A call whose `Retry-After` is longer ends as `unavailable`. Default 4.
   */
  readonly retries?: number;
  /** Deadline of one attempt, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Sends one request of a call; retries are within it. */
export type Post = (path: string, json: unknown, signal: AbortSignal | undefined) => Promise<unknown>;

const longestRetryAfterSeconds = 60;
/** The longest delay of a timer, in milliseconds. */
const longestTimeoutMs = 2 ** 31 - 1;

/** @throws {SenderError} `invalid-options` */
export function openProject(options: SenderOptions): Post {
  const http = createHttp(options);
  return async (path, json, signal) => {
    try {
      return await http.post(path, { json, ...(signal && { signal }) }).json();
    } catch (problem) {
      if (signal?.aborted) throw new SenderError('aborted', 'The call was aborted.', problem);
      throw requestError(problem);
    }
  };
}

function createHttp(options: SenderOptions): KyInstance {
  try {
    const { url, secretKey, retries = 4, timeoutMs = 10_000, fetch = globalThis.fetch } = options;
    const problem = isReadableByUsers()
      ? 'A secret key in a page or an app could be read by its users'
      : (secretKeyProblem({ url, secretKey }) ?? rangeProblem(retries, timeoutMs));
    if (problem !== null) throw new SenderError('invalid-options', problem);
    return ky.create({
      prefixUrl: new URL(url),
      // A newer key is not a token, which `authorization` must be.
      headers: {
        apikey: secretKey,
        ...(!secretKey.startsWith('sb_') && { authorization: `Bearer ${secretKey}` }),
      },
      // The key is for the project alone: a redirect is not followed.
      redirect: 'manual',
      timeout: timeoutMs <= longestTimeoutMs && timeoutMs,
      fetch: async (input, init) => bufferResponse(await fetch(input, init)),
      retry: {
        limit: retries,
        methods: ['post'],
        statusCodes: [...transientStatuses],
        afterStatusCodes: [...transientStatuses],
        delay: (attempt) => Math.min(500 * 2 ** (attempt - 1), 8000),
        jitter: true,
        retryOnTimeout: true,
        shouldRetry: ({ error }) => {
          const seconds = readRetryAfterSeconds(error);
          if (seconds !== null) return seconds > longestRetryAfterSeconds ? false : undefined;
          // ky would wait forever after a malformed `Retry-After`.
          return isTransientResponse(error) || undefined;
        },
      },
      hooks: {
        beforeError: [async (error) => Object.assign(error, { body: await error.response.text() })],
      },
    });
  } catch (problem) {
    if (problem instanceof SenderError) throw problem;
    throw new SenderError('invalid-options', 'The options are not a SenderOptions object', problem);
  }
}

/** Reads the body before ky's timer ends with the headers: a body that never ends must not outlive the deadline. */
async function bufferResponse(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.text();
  return new Response(body === '' ? null : body, { status, statusText, headers });
}

function rangeProblem(retries: number, timeoutMs: number): string | null {
  if (!Number.isInteger(retries) || retries < 0) return 'retries must be a whole number from 0';
  return timeoutMs > 0 ? null : 'timeoutMs must be a number above 0';
}

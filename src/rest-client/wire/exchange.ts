import { createHttp, HttpFailure, withinDeadline } from '../../platform/http.ts';
import type { Platform } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { credentialsOf } from '../../platform/service.ts';
import { parseError } from './answer.ts';
import { RestError } from '../errors.ts';
import { createInFlight } from './in-flight.ts';
import { isRead, type RestRequest, type Wire } from '../query/plan.ts';
import { retryPolicy, type RetryOptions } from './retry.ts';

export interface ExchangeOptions {
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random' | 'page'>;
  /** The project's publishable key, or its legacy anonymous token. */
  readonly apiKey: string;
  /** The signed-in user's token, or null. `rejectedToken` is one that the server has just called expired. */
  readonly getAccessToken?: (options?: { readonly rejectedToken?: string }) => Promise<string | null>;
  /** Deadline for a whole execution with its retries, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
  /** Deadline for each attempt, in milliseconds. Default 10 000. */
  readonly attemptTimeoutMs?: number;
  readonly retry?: Partial<RetryOptions>;
}

export type Exchange = (request: Sendable, signal?: AbortSignal) => Promise<Wire>;

type Sendable = RestRequest & { readonly keepalive?: boolean | undefined };

/** Sends requests with credentials, deadlines, retries and one refresh of an expired token. */
export function createExchange(options: ExchangeOptions): Exchange {
  const {
    platform,
    apiKey,
    timeoutMs = 30_000,
    attemptTimeoutMs = 10_000,
    getAccessToken = async () => null,
  } = options;
  const { clock, page } = platform;
  const retryOptions: RetryOptions = { limit: 3, baseDelayMs: 300, maxDelayMs: 5000, ...options.retry };
  const http = createHttp(platform);
  const share = createInFlight();

  /** One attempt: an answer of success, or the error that it is. */
  async function attempt(request: Sendable, token: string | null, signal: AbortSignal): Promise<Wire> {
    const sent = { ...request, headers: { ...credentialsOf(apiKey, token), ...request.headers } };
    const send = (until: AbortSignal) =>
      http.send({ ...sent, timeoutMs: attemptTimeoutMs, signal: until }, readWire);
    const wire = await share(isRead(request.method) && JSON.stringify(sent), send, signal);
    if (wire.status < 300) return wire;
    const error = parseError(wire, clock.now());
    // HEAD has no body to say why, and browsers hide the header that does: a second look that costs no rows.
    if (request.method === 'HEAD' && !error.code) {
      const url = `${request.url}${request.url.includes('?') ? '&' : '?'}limit=0`;
      await attempt({ ...request, method: 'GET', url }, token, signal);
    }
    throw error;
  }

  /** One attempt; a token that the server calls expired is renewed once per execution, and the request sent again. */
  function attempts(request: Sendable, signal: AbortSignal): () => Promise<Wire> {
    let token: Promise<string | null> | undefined;
    let isRenewed = false;
    return async () => {
      try {
        const current = await (token ??= getAccessToken());
        try {
          return await attempt(request, current, signal);
        } catch (problem) {
          const isExpired = problem instanceof RestError && problem.kind === 'token-expired';
          if (!isExpired || !current || isRenewed) throw problem;
          isRenewed = true;
          token = getAccessToken({ rejectedToken: current });
          const renewed = await token;
          if (!renewed || renewed === current) throw problem;
          return await attempt(request, renewed, signal);
        }
      } catch (problem) {
        throw toRestError(problem);
      }
    };
  }

  return (request, signal) =>
    withinDeadline(clock, timeoutMs, signal, (ended) =>
      retry(
        platform,
        retryPolicy(request.method, retryOptions, timeoutMs, page),
        attempts(request, ended),
        ended,
      ),
    ).catch((problem: unknown) => {
      throw toRestError(problem);
    });
}

async function readWire(response: Response): Promise<Wire> {
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

/** What neither the server nor the network threw came from the source of tokens. */
function toRestError(problem: unknown): RestError {
  if (problem instanceof RestError) return problem;
  return problem instanceof HttpFailure
    ? new RestError(problem.kind, problem.message, { cause: problem.cause })
    : new RestError('token-unavailable', 'No access token', { cause: problem });
}

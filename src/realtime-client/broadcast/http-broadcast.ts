import { createHttp, HttpFailure, withinDeadline } from '../../platform/http.ts';
import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { credentialsOf, serviceUrl } from '../../platform/service.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeClient } from '../realtime-client.ts';
import { checkPayloadSize, defaultMaxPayloadBytes } from './payload-size.ts';

/** A broadcast to a topic. */
export interface TopicBroadcast {
  /** The channel's name. */
  readonly topic: string;
  /** Name of the event. */
  readonly event: string;
  /** JSON; the server accepts objects only. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whether the channel is private; policies on `realtime.messages` must allow the insert. Default false. */
  readonly private?: boolean;
}

/** Options of one call. */
export interface BroadcastCallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Deadline in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
  /** Added to the request; they win over the client's. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Most bytes of a payload. Default 256,000, the free plan's limit. */
  readonly maxPayloadBytes?: number;
}

/**
 * Sends broadcasts to any number of topics by one HTTP request, without a socket and without joining. Resolves when
 * the server has accepted the request; the server drops broadcasts to private channels silently where a policy forbids
 * them.
 *
 * @throws {RealtimeError} `network`, `timeout`, `aborted`, `unauthorized`, `rate-limited`, `payload-too-large`,
 *   `invalid-payload`, `server`
 * @example
 * ```ts
 * import { sendBroadcasts } from 'supabase-protocol-clients/realtime-client/http-broadcast';
 *
 * await sendBroadcasts(realtime, [{ topic: 'room', event: 'chat', payload: { text: 'Hello' } }]);
 * ```
 */
export async function sendBroadcasts(
  { port }: Pick<RealtimeClient, 'port'>,
  messages: readonly TopicBroadcast[],
  {
    signal,
    headers,
    timeoutMs = port.settings.timeoutMs,
    maxPayloadBytes = defaultMaxPayloadBytes,
  }: BroadcastCallOptions = {},
): Promise<void> {
  for (const { event, payload } of messages)
    checkPayloadSize(`The payload of ${event}`, payload, maxPayloadBytes);
  const { platform, url, apiKey, getAccessToken, emit: log, traceparent } = port;
  const http = createHttp(platform, { service: 'realtime', log, traceparent });
  const request = {
    method: 'POST',
    url: `${serviceUrl(url, 'realtime')}/api/broadcast`,
    body: JSON.stringify({ messages }),
    timeoutMs,
  };
  try {
    await withinDeadline(platform.clock, timeoutMs, signal, async (ended) => {
      const sent = {
        'content-type': 'application/json',
        ...credentialsOf(apiKey, await getAccessToken()),
        ...port.headers,
        ...headers,
      };
      await http.send({ ...request, headers: sent, signal: ended }, async (response) => {
        if (!response.ok) throw await errorOf(response, platform.clock.now());
      });
    });
  } catch (problem) {
    throw toRealtimeError(problem);
  }
}

function toRealtimeError(problem: unknown): RealtimeError {
  const cause = problem instanceof HttpFailure && problem.kind === 'network' ? problem.cause : problem;
  if (cause instanceof RealtimeError) return cause;
  const code = problem instanceof HttpFailure ? problem.kind : 'network';
  return new RealtimeError(code, `The broadcast failed: ${code}`, { cause });
}

async function errorOf(response: Response, nowMs: number): Promise<RealtimeError> {
  const { status, headers } = response;
  const text = await response.text();
  const codes: Readonly<Record<number, RealtimeError['code']>> = {
    401: 'unauthorized',
    403: 'unauthorized',
    413: 'payload-too-large',
    422: 'invalid-payload',
    429: 'rate-limited',
  };
  return new RealtimeError(
    codes[status] ?? 'server',
    `The server refused the broadcast (${status}): ${text}`,
    {
      status,
      retryAfterSeconds: parseRetryAfterSeconds(headers.get('retry-after'), nowMs),
    },
  );
}

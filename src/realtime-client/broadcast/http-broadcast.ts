import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { credentialsOf, serviceUrl } from '../../platform/service.ts';
import { createServiceHttp } from '../../platform/service-http.ts';
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
  const http = createServiceHttp({
    service: 'realtime',
    platform,
    headers: port.headers,
    log,
    traceparent,
    getAccessToken: () => getAccessToken(),
    credentials: (token) => credentialsOf(apiKey, token),
    isOwnError: (problem) => problem instanceof RealtimeError,
    createError: (code, message, cause) => new RealtimeError(code, message, { cause }),
    createTokenError: (message, cause) => new RealtimeError('network', message, { cause }),
  });
  const request = {
    method: 'POST',
    url: `${serviceUrl(url, 'realtime')}/api/broadcast`,
    ownHeaders: { 'content-type': 'application/json' },
    headers,
    body: JSON.stringify({ messages }),
  };
  await http.begin({ timeoutMs, signal }).send(request, async (response) => {
    if (!response.ok) throw await errorOf(response, platform.clock.now());
  });
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

import { foreignResponse } from '../../platform/foreign-response.ts';
import type { CallUser } from '../../platform/call-user.ts';
import { count } from '../../platform/number-options.ts';
import { encodeSegment } from '../../platform/path-segment.ts';
import { parseRetryAfterSeconds } from '../../platform/retry.ts';
import { serviceUrl } from '../../platform/service.ts';
import { type Service, ServiceCall } from '../../platform/service-http.ts';
import { RealtimeError, requireRanges } from '../errors.ts';
import type { RealtimeClient } from '../realtime-client.ts';
import { type Persist, requirePersist } from './persist.ts';
import { checkPayloadSize, defaultMaxPayloadBytes } from './payload-size.ts';

export type { Persist } from './broadcast.ts';

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

/** One broadcast, of JSON or bytes. */
export interface SingleBroadcast extends Omit<TopicBroadcast, 'payload'> {
  /** Any JSON, or bytes. */
  readonly payload: unknown;
}

/** Options of one call. */
export interface BroadcastCallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Deadline in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
  /** Added to the request; they override the client's. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum number of bytes of a payload. Default 256,000, the free plan's limit. */
  readonly maxPayloadBytes?: number;
  /** The user of earlier calls; another one ends this call with `user-changed`. Default: the user at its start. */
  readonly user?: CallUser | undefined;
}

/** Options of `sendBroadcast`. */
export interface SingleBroadcastOptions extends BroadcastCallOptions {
  /** Stores the broadcast of a private channel, so that a later join replays it. Default: it is not stored. */
  readonly persist?: Persist;
}

/**
 * Sends broadcasts to any number of topics by one HTTP request, without a socket and without joining. Resolves when
 * the server has accepted the request; the server drops broadcasts to private channels silently where a policy forbids
 * them.
 *
 * @throws {RealtimeError} `network`, `timeout`, `aborted`, `unauthorized`, `rate-limited`, `payload-too-large`,
 *   `invalid-payload`, `not-the-service`, `server`
 * @example
 * ```ts
 * import { sendBroadcasts } from 'supabase-protocol-clients/realtime-client/broadcast';
 *
 * await sendBroadcasts(realtime, [{ topic: 'room', event: 'chat', payload: { text: 'Hello' } }]);
 * ```
 */
export async function sendBroadcasts(
  client: Pick<RealtimeClient, 'port'>,
  messages: readonly TopicBroadcast[],
  options: BroadcastCallOptions = {},
): Promise<void> {
  requireRanges(options, { maxPayloadBytes: count });
  const { maxPayloadBytes = defaultMaxPayloadBytes } = options;
  for (const { event, payload } of messages)
    checkPayloadSize(`The payload of ${event}`, payload, maxPayloadBytes);
  await post(
    client,
    '/api/broadcast',
    { type: 'application/json', body: JSON.stringify({ messages }) },
    options,
  );
}

/**
 * Sends one broadcast by HTTP, without a socket and without joining. The payload may be bytes, and the server may store it for `replay`.
 * Unlike `sendBroadcasts` it is refused where a policy forbids it.
 *
 * @throws {RealtimeError} as `sendBroadcasts`; `unauthorized` where a policy forbids it; `invalid-payload` for `persist` on a
 *   public channel
 * @example
 * ```ts
 * import { sendBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
 *
 * const announcement = { topic: 'news', event: 'headline', payload: { text: 'Hello' }, private: true };
 * await sendBroadcast(realtime, announcement, { persist: { ttlSeconds: 3600 } });
 * ```
 */
export async function sendBroadcast(
  client: Pick<RealtimeClient, 'port'>,
  { topic, event, payload, private: isPrivate = false }: SingleBroadcast,
  { persist, ...options }: SingleBroadcastOptions = {},
): Promise<void> {
  requireRanges(options, { maxPayloadBytes: count });
  requirePersist(persist, isPrivate);
  checkPayloadSize(`The payload of ${event}`, payload, options.maxPayloadBytes ?? defaultMaxPayloadBytes);
  const query = new URLSearchParams({
    ...(isPrivate && { private: 'true' }),
    ...(persist === true && { persist: 'true' }),
    ...(typeof persist === 'object' && { 'persist[ttl]': `${persist.ttlSeconds}` }),
  });
  const path = `/api/broadcast/${encodeName(topic)}/events/${encodeName(event)}`;
  const isBytes = payload instanceof Uint8Array;
  const content = isBytes
    ? { type: 'application/octet-stream', body: new Uint8Array(payload) }
    : { type: 'application/json', body: JSON.stringify(payload) };
  await post(client, query.size > 0 ? `${path}?${query}` : path, content, options);
}

function encodeName(name: string): string {
  return encodeSegment(name, (reason) => {
    throw new RealtimeError('invalid-topic', `Not a topic or event of a broadcast by HTTP: ${reason}`);
  });
}

interface Content {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const realtimeService: Service = {
  name: 'realtime',
  errorClass: RealtimeError,
  createTokenError: (message, cause) => new RealtimeError('network', message, { cause }),
};

async function post(
  { port }: Pick<RealtimeClient, 'port'>,
  path: string,
  { type, body }: Content,
  { signal, headers, timeoutMs = port.settings.timeoutMs, user }: BroadcastCallOptions,
): Promise<void> {
  const { platform, url, apiKey, getAccessToken, emit: log, traceparent } = port;
  const client = { platform, apiKey, headers: port.headers, log, traceparent, getAccessToken };
  const request = {
    method: 'POST',
    url: serviceUrl(url, 'realtime') + path,
    ownHeaders: { 'content-type': type },
    headers,
    body,
  };
  await new ServiceCall(client, realtimeService, { timeoutMs, signal, user }).send(
    request,
    async (response) => {
      if (!response.ok) throw await errorOf(response, platform.clock.now());
      // Both routes send 202 (`send_resp(conn, :accepted, "")`).
      if (response.status !== 202)
        throw new RealtimeError(...foreignResponse('realtime', response, await response.text()));
    },
  );
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

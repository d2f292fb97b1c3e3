import { type NumberRange, rangeProblem } from '../platform/number-options.ts';

/**
 * Why the realtime client failed.
 *
 * - `invalid-options`, `invalid-binding`, `invalid-topic`: invalid input; nothing was sent.
 * - `signed-out`: the user is signed out. The channel joins by itself after the next sign-in.
 * - `token-rejected`: the server keeps refusing tokens that were just renewed.
 * - `unauthorized`: the server's policies forbid the channel.
 * - `channel-limit`: the server allows no further channel on this socket. The channel joins after another was left.
 * - `websocket-unavailable`: the runtime cannot open a websocket; the message has the remedy.
 * - `key-refused`: the server refuses the handshake of the websocket with 401: the project's public key is wrong or was
 *   revoked. Joins again only by `join()`.
 * - `subscription-refused`: the server cannot subscribe to the changes (table, column, filter or publication).
 * - `channel-failed`: the channel failed before the reply to a push; `cause` says why.
 * - `push-overflow`: the buffer of pushes was full; `push-timeout`: no reply in time; `push-refused`: refused by the
 *   server, or not serializable.
 * - `invalid-row`, `invalid-payload`: a row, broadcast or presence failed its schema.
 * - `payload-too-large`: a payload exceeds the limit; nothing was sent.
 * - `network`, `timeout`, `aborted`, `rate-limited`, `server`: an HTTP broadcast failed.
 * - `redirected`: the server redirected an HTTP broadcast, which was not followed.
 * - `not-the-service`: the realtime service did not send the response to an HTTP broadcast, such as a network's sign-in page.
 * - `user-changed`: another user signed in, or the user signed out, before it was sent.
 * - `rate-limited`: the server's rate limit was reached.
 * - `closed`: the client or channel was closed.
 */
export type RealtimeErrorCode =
  | 'invalid-options'
  | 'invalid-binding'
  | 'invalid-topic'
  | 'signed-out'
  | 'token-rejected'
  | 'unauthorized'
  | 'channel-limit'
  | 'websocket-unavailable'
  | 'key-refused'
  | 'subscription-refused'
  | 'channel-failed'
  | 'push-overflow'
  | 'push-timeout'
  | 'push-refused'
  | 'invalid-row'
  | 'invalid-payload'
  | 'payload-too-large'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'redirected'
  | 'not-the-service'
  | 'user-changed'
  | 'rate-limited'
  | 'server'
  | 'closed';

/** @throws {RealtimeError} `invalid-options` for an option outside its range. */
export function requireRanges(options: object, ranges: Readonly<Record<string, NumberRange>>): void {
  const problem = rangeProblem(options, ranges);
  if (problem !== null) throw new RealtimeError('invalid-options', problem);
}

/** The fields of a {@link RealtimeError} besides its code and message. */
export interface RealtimeErrorFields {
  /** The underlying error, or the server's response. */
  readonly cause?: unknown;
  /** HTTP status; null without an HTTP response, as for everything on the websocket. Default null. */
  readonly status?: number | null;
  /** The Retry-After of the server in seconds (RFC 9110 §10.2.3). Default null. */
  readonly retryAfterSeconds?: number | null;
}

/** The one error class of the realtime client. */
export class RealtimeError extends Error {
  /** Always `RealtimeError`, for code that cannot use `instanceof`. */
  override readonly name = 'RealtimeError';
  /** The reason, of a closed set. */
  readonly code: RealtimeErrorCode;
  /** HTTP status; null without an HTTP response, as for everything on the websocket. */
  readonly status: number | null;
  /** Seconds until another attempt may succeed (Retry-After, RFC 9110 §10.2.3); null where the server names none. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: RealtimeErrorCode,
    message: string,
    { cause, status = null, retryAfterSeconds = null }: RealtimeErrorFields = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

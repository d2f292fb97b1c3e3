/**
 * Why a call of a function failed.
 *
 * - `http`: the function returned an error status, see `status` and `body`.
 * - `relay`: the function could not be reached or started.
 * - `invalid-options`: `url` or `apiKey` is missing, or a number is outside its range; nothing was sent.
 * - `invalid-name`, `invalid-body`: bad input; nothing was sent.
 * - `invalid-result`: the response is not valid JSON, or does not match the schema.
 * - `token-unavailable`: `getAccessToken` failed; its error is the `cause`.
 * - `timeout`, `aborted`, `network`: no response before the deadline, the caller's signal, no connection.
 * - `redirected`: the server redirected the request, which was not followed.
 * - `not-the-service`: of `events()`, the response is not an event stream; the message has its status, type and first words.
 * - `user-changed`: another user signed in during the call, or the session ended; nothing more was sent.
 */
export type FunctionsErrorCode =
  | 'http'
  | 'relay'
  | 'invalid-options'
  | 'invalid-name'
  | 'invalid-body'
  | 'invalid-result'
  | 'token-unavailable'
  | 'timeout'
  | 'aborted'
  | 'network'
  | 'redirected'
  | 'not-the-service'
  | 'user-changed';

/** The fields of a {@link FunctionsError} besides its code and message. */
export interface FunctionsErrorFields {
  /** Default null. */
  readonly status?: number | null;
  /** Default null. */
  readonly body?: unknown;
  /** Default null. */
  readonly retryAfterSeconds?: number | null;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** The one error class of the functions client. */
export class FunctionsError extends Error {
  /** Always `FunctionsError`, for code that cannot use `instanceof`. */
  override readonly name = 'FunctionsError';
  /** The reason, of a closed set. */
  readonly code: FunctionsErrorCode;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** The body of the function's response: parsed JSON, or text; null without a response. */
  readonly body: unknown;
  /** Seconds until another attempt may succeed (Retry-After, RFC 9110 §10.2.3); null without one. */
  readonly retryAfterSeconds: number | null;

  constructor(code: FunctionsErrorCode, message: string, fields: FunctionsErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? null;
    this.body = fields.body ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }
}

import { type NumberRange, rangeProblem } from '../platform/number-options.ts';

/**
 * Why a storage call failed.
 *
 * - `not-found`: no bucket or object that the caller may read; a resumable upload that has expired.
 * - `denied`: the policies of `storage.objects` or the token forbid it.
 * - `duplicate`: an object of that path exists, and `upsert` is not set.
 * - `invalid-key`, `invalid-type`, `too-large`: the path, the media type or the size is not allowed.
 * - `invalid-options`: `url` or `apiKey` is missing, or a number is outside its range; nothing was sent.
 * - `invalid-request`: any other refusal of the request; a body that is no content, or a file that can no longer be read.
 * - `rate-limited`: 429; `retryAfterSeconds` says when to try again, where the server does.
 * - `server`: the service failed.
 * - `not-the-service`: the storage service did not send the response, such as a network's sign-in page with status 200; the message
 *   has its status, type and first words.
 * - `token-unavailable`: `getAccessToken` failed; its error is the `cause`.
 * - `timeout`, `aborted`, `network`: no response before the deadline, the caller's signal, no connection.
 * - `redirected`: the server redirected the request, which was not followed.
 * - `user-changed`: another user signed in during the call, or the session ended; nothing more was sent.
 */
export type StorageErrorCode =
  | 'not-found'
  | 'denied'
  | 'duplicate'
  | 'invalid-options'
  | 'invalid-key'
  | 'invalid-type'
  | 'too-large'
  | 'invalid-request'
  | 'rate-limited'
  | 'server'
  | 'not-the-service'
  | 'token-unavailable'
  | 'timeout'
  | 'aborted'
  | 'network'
  | 'redirected'
  | 'user-changed';

/** @throws {StorageError} `invalid-options` for an option outside its range. */
export function requireRanges(options: object, ranges: Readonly<Record<string, NumberRange>>): void {
  const problem = rangeProblem(options, ranges);
  if (problem !== null) throw new StorageError('invalid-options', problem);
}

/** The fields of a {@link StorageError} besides its code and message. */
export interface StorageErrorFields {
  /** Default null. */
  readonly status?: number | null;
  /** Default null. */
  readonly serverCode?: string | null;
  /** Default null. */
  readonly retryAfterSeconds?: number | null;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** The one error class of the storage client. */
export class StorageError extends Error {
  /** Always `StorageError`, for code that cannot use `instanceof`. */
  override readonly name = 'StorageError';
  /** The reason, of a closed set. */
  readonly code: StorageErrorCode;
  /** The status in the response's body where it has one, since HTTP often says 400 for 404; null without a response. */
  readonly status: number | null;
  /** The service's own code, such as `NoSuchKey`; null where it sent none. */
  readonly serverCode: string | null;
  /** Seconds until another attempt may succeed (Retry-After, RFC 9110 §10.2.3); null where the server names none. */
  readonly retryAfterSeconds: number | null;

  constructor(code: StorageErrorCode, message: string, fields: StorageErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? null;
    this.serverCode = fields.serverCode ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }
}

/** A map, since a server's code may be any text and every object has a `constructor`. */
const codes = new Map<string, StorageErrorCode>([
  ['InvalidKey', 'invalid-key'],
  ['InvalidMimeType', 'invalid-type'],
  ['401', 'denied'],
  ['403', 'denied'],
  ['404', 'not-found'],
  ['409', 'duplicate'],
  ['410', 'not-found'],
  ['413', 'too-large'],
  ['415', 'invalid-type'],
  ['429', 'rate-limited'],
]);

/** The code for a refusal, by the service's own code, else by the status. */
export function storageErrorCode(serverCode: string, status: number): StorageErrorCode {
  return codes.get(serverCode) ?? codes.get(`${status}`) ?? (status < 500 ? 'invalid-request' : 'server');
}

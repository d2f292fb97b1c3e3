import { isTransientStatus } from '../platform/retry.ts';

/** What went wrong, as a closed union: a `switch` over it can be exhaustive. */
export type RestErrorCode =
  // The database refused the data.
  | 'unique-violation'
  | 'foreign-key-violation'
  | 'not-null-violation'
  | 'check-violation'
  | 'constraint-violation'
  // The server refused the caller.
  | 'denied'
  | 'unauthenticated'
  | 'token-expired'
  | 'token-not-yet-valid'
  | 'invalid-claims'
  | 'token-unavailable'
  // The response differs from what the query requires.
  | 'not-one-row'
  | 'affected-rows'
  | 'not-rolled-back'
  | 'out-of-range'
  | 'invalid-row'
  // The request is wrong: found by the client, or by the server.
  | 'invalid-options'
  | 'invalid-query'
  | 'url-too-long'
  | 'invalid-request'
  | 'not-found'
  // The database raised it, or failed.
  | 'raised'
  | 'serialization'
  | 'statement-timeout'
  | 'rate-limited'
  | 'unavailable'
  | 'server'
  // PostgREST did not send the response: a network's sign-in page, a proxy's page, a fallback page with status 200.
  | 'not-the-service'
  // No response.
  | 'timeout'
  | 'aborted'
  | 'network'
  // The server redirected the request, which was not followed.
  | 'redirected'
  // Another user signed in during the call, or the session ended.
  | 'user-changed';

/** The fields of a {@link RestError} besides its code and message. */
export interface RestErrorFields {
  /** HTTP status; null if there was no response. Default null. */
  readonly status?: number | null;
  /** SQLSTATE or `PGRSTnnn`; null if the server named none. Default null. */
  readonly serverCode?: string | null;
  /** The server's details: a text, or a list of candidates for an ambiguous embedding. Default null. */
  readonly details?: unknown;
  /** PostgREST's advice on how to correct the request. Default null. */
  readonly hint?: string | null;
  /** The server's Retry-After, in seconds. Default null. */
  readonly retryAfterSeconds?: number | null;
  /** The error of fetch, the signal's reason, or the issues of a schema. */
  readonly cause?: unknown;
}

/** The one error class of the REST client: an error response of the server, or why none arrived. */
export class RestError extends Error {
  /** Always `RestError`, for code that cannot use `instanceof`. */
  override readonly name = 'RestError';
  /** The reason, of a closed set. */
  readonly code: RestErrorCode;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** SQLSTATE or `PGRSTnnn`; null if the server named none. */
  readonly serverCode: string | null;
  /**
   * The server's details: a text, or a list of candidates for an ambiguous embedding; for `not-the-service` the text of
   * the response. Null without details.
   */
  readonly details: unknown;
  /** The server's hint, or null. */
  readonly hint: string | null;
  /** Seconds until another attempt may succeed (Retry-After, RFC 9110 §10.2.3); null where the server names none. */
  readonly retryAfterSeconds: number | null;

  constructor(code: RestErrorCode, message: string, fields: RestErrorFields = {}) {
    super(message, 'cause' in fields ? { cause: fields.cause } : undefined);
    this.code = code;
    this.status = fields.status ?? null;
    this.serverCode = fields.serverCode ?? null;
    this.details = fields.details ?? null;
    this.hint = fields.hint ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }

  /** The constraint that the database names in its message, such as `users_email_key`; null if it names none. */
  get constraint(): string | null {
    return /constraint "(.+?)"/.exec(this.message)?.[1] ?? null;
  }

  /** The same error with the status of the response in which it was found. */
  withStatus(status: number): RestError {
    return Object.assign(new RestError(this.code, this.message, this), { status });
  }
}

/** Error codes by server code, by its class (its first two characters), and by HTTP status. */
const codes: ReadonlyMap<string, RestErrorCode> = new Map<string, RestErrorCode>([
  ['23505', 'unique-violation'],
  ['23503', 'foreign-key-violation'],
  ['23502', 'not-null-violation'],
  ['23514', 'check-violation'],
  ['42501', 'denied'],
  ['42703', 'not-found'],
  ['57014', 'statement-timeout'],
  ['PGRST116', 'not-one-row'],
  ['PGRST124', 'affected-rows'],
  ['PGRST103', 'out-of-range'],
  ['23', 'constraint-violation'],
  ['40', 'serialization'],
  ['P0', 'raised'],
  ['PT', 'raised'],
  ['401', 'unauthenticated'],
  ['403', 'denied'],
  ['404', 'not-found'],
  ['429', 'rate-limited'],
]);

/** PostgREST refuses a token by one code for several causes, which only its message distinguishes (`Error.hs`). */
const tokenCodes: ReadonlyMap<string, RestErrorCode> = new Map<string, RestErrorCode>([
  ['JWT expired', 'token-expired'],
  ['JWT issued at future', 'token-not-yet-valid'],
  ['JWT not yet valid', 'token-not-yet-valid'],
]);

/** The code of a response of PostgREST, by its server code, the class of that code, or the status. */
export function errorCodeOf(
  serverCode: string | null,
  status: number,
  message: string | null,
): RestErrorCode {
  // PostgREST 12 and older also send PGRST301 for an expired token.
  if (serverCode === 'PGRST303' || serverCode === 'PGRST301') {
    const code = tokenCodes.get(message ?? '');
    if (code) return code;
    if (serverCode === 'PGRST303' && message !== null) return 'invalid-claims';
  }
  return (
    codes.get(serverCode ?? '') ??
    codes.get((serverCode ?? '').slice(0, 2)) ??
    codes.get(`${status}`) ??
    codeOfStatus(status)
  );
}

function codeOfStatus(status: number): RestErrorCode {
  if (isTransientStatus(status)) return 'unavailable';
  return status < 500 ? 'invalid-request' : 'server';
}

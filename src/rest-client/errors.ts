/** What went wrong, closed: a `switch` over it can be exhaustive. */
export type RestErrorKind =
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
  | 'token-unavailable'
  // The answer is not what was asked for.
  | 'not-one-row'
  | 'affected-rows'
  | 'out-of-range'
  | 'invalid-row'
  // The request is wrong: found here, or by the server.
  | 'configuration-incomplete'
  | 'invalid-query'
  | 'url-too-long'
  | 'invalid-request'
  | 'not-found'
  // The database, by choice or by accident.
  | 'raised'
  | 'serialization'
  | 'statement-timeout'
  | 'rate-limited'
  | 'unavailable'
  | 'server'
  // No answer of PostgREST.
  | 'gateway'
  | 'timeout'
  | 'aborted'
  | 'network';

export interface RestErrorFields {
  /** HTTP status; 0 if there was no answer. Default 0. */
  readonly status?: number;
  /** SQLSTATE, `PGRSTnnn`, or empty. */
  readonly code?: string;
  /** The server's details: a text, or for an ambiguous embedding a list of candidates. */
  readonly details?: unknown;
  readonly hint?: string | null;
  /** The server's Retry-After, in seconds. */
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
}

/** The one error of this client: what the server answered, or why there is no answer. */
export class RestError extends Error {
  override readonly name = 'RestError';
  declare readonly kind: RestErrorKind;
  /** HTTP status; 0 if there was no answer. */
  declare readonly status: number;
  /** SQLSTATE, `PGRSTnnn`, or empty. */
  declare readonly code: string;
  declare readonly details: unknown;
  declare readonly hint: string | null;
  /** The server's Retry-After, in seconds; null if it names none. */
  declare readonly retryAfterSeconds: number | null;

  constructor(kind: RestErrorKind, message: string, fields: RestErrorFields = {}) {
    super(message, fields);
    Object.assign(
      this,
      { kind, status: 0, code: '', details: null, hint: null, retryAfterSeconds: null },
      fields,
    );
  }

  /** The constraint that the database names in its message, such as `users_email_key`. */
  get constraint(): string | null {
    return /constraint "(.+?)"/.exec(this.message)?.[1] ?? null;
  }
}

/** By code, by class of codes (its first two characters), and by status, where that says as much as the code. */
const kinds: Readonly<Record<string, RestErrorKind>> = {
  '23505': 'unique-violation',
  '23503': 'foreign-key-violation',
  '23502': 'not-null-violation',
  '23514': 'check-violation',
  '23': 'constraint-violation',
  '42501': 'denied',
  '42703': 'not-found',
  '57014': 'statement-timeout',
  '40': 'serialization',
  P0: 'raised',
  PT: 'raised',
  PGRST303: 'token-expired',
  PGRST116: 'not-one-row',
  PGRST124: 'affected-rows',
  PGRST103: 'out-of-range',
  '401': 'unauthenticated',
  '403': 'denied',
  '404': 'not-found',
  '429': 'rate-limited',
  '503': 'unavailable',
  '504': 'unavailable',
};

/**
 * The kind of an answer of PostgREST, by its code (SQLSTATE or PGRSTnnn), its code's class, or the status. A code may be any
 * text, and what every object has (`constructor`) is no kind: none of that is in upper case.
 */
export const kindOfCode = (code: string, status: number): RestErrorKind =>
  kinds[code.toUpperCase()] ??
  kinds[code.slice(0, 2)] ??
  kinds[status] ??
  (status < 500 ? 'invalid-request' : 'server');

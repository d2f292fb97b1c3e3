import { RestError } from '../../rest-client/index.ts';
import { isAbort } from '../../rest-client/wire/retry.ts';

/** An error response of PostgREST, or why none arrived. */
export class PostgrestError extends Error {
  /** Always `PostgrestError`. */
  override readonly name = 'PostgrestError';
  /** The server's details, as it sent them: null if it sent none; without a response the underlying failure. */
  details: string;
  /** The server's hint: null if it sent none, as in the vendor's client, whose types have no null either. */
  hint: string;
  /** SQLSTATE or `PGRSTnnn`; empty without a response. */
  code: string;

  /** @param context the fields of the server's response. */
  constructor(context: PostgrestErrorContext, options?: ErrorOptions) {
    super(context.message, options);
    this.details = context.details;
    this.hint = context.hint;
    this.code = context.code;
  }

  /** The fields of the error, which `JSON.stringify` leaves out of other errors. */
  toJSON(): { name: string } & PostgrestErrorContext {
    const { name, message, details, hint, code } = this;
    return { name, message, details, hint, code };
  }
}

/** The fields of a {@link PostgrestError}. */
export interface PostgrestErrorContext {
  /** What went wrong, in English. */
  message: string;
  /** The server's details. */
  details: string;
  /** The server's hint. */
  hint: string;
  /** SQLSTATE or `PGRSTnnn`. */
  code: string;
}

/** Why a query failed, and the status that goes with it: 0 without a response. */
export interface QueryFailure {
  readonly error: PostgrestError;
  readonly status: number;
}

/** The native client detects several rows of `maybeSingle()` itself; the vendor's client reports the server's error. */
const notOneRow = {
  message: 'JSON object requested, multiple (or no) rows returned',
  details: 'Results contain several rows, application/vnd.pgrst.object+json requires 1 row',
  hint: null,
  code: 'PGRST116',
} as unknown as PostgrestErrorContext;

/** The length of a query's URL, and the limit from which the hint of a failure mentions it. */
export interface UrlLength {
  readonly length: number;
  readonly limit: number;
}

/** The failure of a query as the vendor's client returns it. The native error is its `cause`. */
export function toQueryFailure(problem: unknown, url: UrlLength): QueryFailure {
  if (!(problem instanceof RestError)) throw problem;
  const { code, message, status, serverCode, details, hint } = problem;
  const of = (context: PostgrestErrorContext) => new PostgrestError(context, { cause: problem });
  if (code === 'not-one-row' && serverCode === null) return { error: of(notOneRow), status: 406 };
  if (status === null) return { error: of(describeCause(problem, url)), status: 0 };
  // The vendor's client uses a body that is not JSON as the message.
  if (code === 'not-the-service' && typeof details === 'string' && details !== '')
    return { error: of({ message: details, details: '', hint: '', code: '' }), status };
  const context = { message, details, hint, code: serverCode ?? '' } as PostgrestErrorContext;
  return { error: of(context), status };
}

/** Returns a plain object with the fields, as the vendor's client does. */
export function toPlainError(error: PostgrestError): PostgrestError {
  const { message, details, hint, code } = error;
  const plain = { message, details, hint, code };
  // Not enumerable, so that comparisons and logs omit the native error.
  return Object.defineProperty(plain, 'cause', { value: error.cause }) as unknown as PostgrestError;
}

const ABORT_HINT = 'Request was aborted (timeout or manual cancellation)';
const HEADERS_HINT = 'HTTP headers exceeded server limits';

/** A runtime may reject with an object of another realm, which is not an `Error` here. */
interface Reason {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: Reason;
}

/** Without a response the vendor's client uses the message of the underlying failure: `TypeError: fetch failed`. */
function describeCause({ code, message, cause }: RestError, url: UrlLength): PostgrestErrorContext {
  const reason: Reason = typeof cause === 'object' && cause !== null ? cause : {};
  if (code === 'aborted' || code === 'timeout' || isAbort(reason)) {
    const hint = `${ABORT_HINT}${adviseOnLength(url)}`;
    return { message: `AbortError: ${reason.message ?? message}`, details: '', hint, code: '' };
  }
  if (reason.message === undefined) return { message, details: '', hint: '', code: '' };
  const { cause: inner } = reason;
  const causes = inner && `Caused by: ${inner.name}: ${inner.message}${inner.code ? ` (${inner.code})` : ''}`;
  const details = [causes, reason.stack].filter(Boolean).join('\n\n');
  const isOverflow = inner?.name === 'HeadersOverflowError' || inner?.code === 'UND_ERR_HEADERS_OVERFLOW';
  const hint = isOverflow ? `${HEADERS_HINT}${adviseOnLength(url)}` : '';
  return { message: `${reason.name}: ${reason.message}`, details, hint, code: '' };
}

/** Advice for a URL that is longer than many servers accept. */
const adviseOnLength = ({ length, limit }: UrlLength): string =>
  length > limit
    ? `. Your request URL is ${length} characters, which may exceed server limits. For many fields, consider using views; for long lists, consider using an RPC function.`
    : '';

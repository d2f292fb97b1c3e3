import { RestError } from '../../rest-client/index.ts';

/** What PostgREST answered instead of rows, or why it did not answer. */
export class PostgrestError extends Error {
  /** Always `PostgrestError`. */
  override readonly name = 'PostgrestError';
  /** The server's details, as it sent them: null if it gave none; without an answer the failure underneath. */
  details: string;
  /** The server's hint: null if it gave none, as in the vendor's client, whose types have no null either. */
  hint: string;
  /** SQLSTATE or `PGRSTnnn`; empty if the server did not answer. */
  code: string;

  /** @param context the fields of the server's answer. */
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

/** Why a query failed, and the status that goes with it: 0 without an answer. */
export interface QueryFailure {
  /** To throw. */
  readonly error: PostgrestError;
  readonly status: number;
}

/** The native client finds several rows of `maybeSingle()` itself; the vendor's answers for the server there. */
const notOneRow = {
  message: 'JSON object requested, multiple (or no) rows returned',
  details: 'Results contain several rows, application/vnd.pgrst.object+json requires 1 row',
  hint: null,
  code: 'PGRST116',
} as unknown as PostgrestErrorContext;

/** The failure of a query as the vendor's client returns it. The native error is its `cause`. */
export function toQueryFailure(problem: unknown): QueryFailure {
  if (!(problem instanceof RestError)) throw problem;
  const { code, message, status, serverCode, details, hint } = problem;
  const of = (context: PostgrestErrorContext) => new PostgrestError(context, { cause: problem });
  if (code === 'not-one-row' && serverCode === null) return { error: of(notOneRow), status: 406 };
  if (status === null) return { error: of(describeCause(problem)), status: 0 };
  const context = { message, details, hint, code: serverCode ?? '' } as PostgrestErrorContext;
  return { error: of(context), status };
}

/** The fields alone, which calls return: as the vendor's client returns what the server sent. */
export function toPlainError(error: PostgrestError): PostgrestError {
  const { message, details, hint, code } = error;
  const plain = { message, details, hint, code };
  // The native error stays at hand, but in no comparison and no log.
  return Object.defineProperty(plain, 'cause', { value: error.cause }) as unknown as PostgrestError;
}

const ABORT_HINT = 'Request was aborted (timeout or manual cancellation)';

/** Without an answer the vendor's message is that of the failure underneath: `TypeError: fetch failed`. */
function describeCause({ code, message, cause }: RestError): PostgrestErrorContext {
  if (code === 'aborted' || code === 'timeout') {
    const reason = cause instanceof Error ? cause.message : message;
    return { message: `AbortError: ${reason}`, details: '', hint: ABORT_HINT, code: '' };
  }
  if (!(cause instanceof Error)) return { message, details: '', hint: '', code: '' };
  const inner = cause.cause as (Error & { readonly code?: string }) | undefined;
  const causes = inner && `Caused by: ${inner.name}: ${inner.message}${inner.code ? ` (${inner.code})` : ''}`;
  const details = [causes, cause.stack].filter(Boolean).join('\n\n');
  return { message: `${cause.name}: ${cause.message}`, details, hint: '', code: '' };
}

import { RestError } from '../../rest-client/index.ts';

/** What PostgREST answered instead of rows, or why it did not answer. */
export class PostgrestError extends Error {
  /** Always `PostgrestError`. */
  override readonly name = 'PostgrestError';
  /** The server's details; empty if it gave none. */
  details: string;
  /** The server's hint; empty if it gave none. */
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
  readonly error: PostgrestError;
  readonly status: number;
}

/** The native client finds several rows of `maybeSingle()` itself; the vendor's answers for the server there. */
const NOT_ONE_ROW = { code: 'PGRST116', status: 406 } as const;

/** The failure of a query as the vendor's client returns it. The native error is its `cause`. */
export function toQueryFailure(problem: unknown): QueryFailure {
  if (!(problem instanceof RestError)) throw problem;
  const { code, status, serverCode, details, hint } = problem;
  const isNotOneRow = code === 'not-one-row' && serverCode === null;
  const context = {
    message: status === null ? describeCause(problem) : problem.message,
    details: typeof details === 'string' ? details : details === null ? '' : JSON.stringify(details),
    hint: hint ?? '',
    code: isNotOneRow ? NOT_ONE_ROW.code : (serverCode ?? ''),
  };
  return {
    error: new PostgrestError(context, { cause: problem }),
    status: isNotOneRow ? NOT_ONE_ROW.status : (status ?? 0),
  };
}

/** Without an answer the vendor's message is that of the failure underneath: `TypeError: fetch failed`. */
function describeCause({ message, cause }: RestError): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : message;
}

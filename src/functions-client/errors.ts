/**
 * `http`: the function refused; `relay`: it could not be reached or started; `invalid-body`: it is no JSON, or cannot be read;
 * the rest as named.
 */
export type FunctionsErrorKind =
  | 'http'
  | 'relay'
  | 'configuration-incomplete'
  | 'invalid-name'
  | 'invalid-body'
  | 'invalid-result'
  | 'token-unavailable'
  | 'timeout'
  | 'aborted'
  | 'network';

export interface FunctionsErrorFields {
  readonly status?: number;
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** The one error of this client. */
export class FunctionsError extends Error {
  override readonly name = 'FunctionsError';
  readonly kind: FunctionsErrorKind;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** What the function answered: JSON, or text; null without an answer. */
  readonly body: unknown;
  constructor(
    kind: FunctionsErrorKind,
    message: string,
    { status = 0, body = null, cause }: FunctionsErrorFields = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.body = body;
  }
}

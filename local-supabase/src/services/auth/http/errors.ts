import { hasSqlState } from '../../../database/database-error.ts';

/** An error in the HTTP form: a status, one of the service's error codes, a readable message. */
export class AuthHttpError extends Error {
  override readonly name = 'AuthHttpError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

/** An error in the OAuth form (RFC 6749 section 5.2): always status 400, without an `error_code`. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly error: string;
  constructor(error: string, description: string, options?: ErrorOptions) {
    super(description, options);
    this.error = error;
  }
}

/** A password that violates the project's rules; the response contains `reasons`. */
export class WeakPasswordError extends Error {
  override readonly name = 'WeakPasswordError';
  readonly reasons: readonly string[];
  constructor(message: string, reasons: readonly string[]) {
    super(message);
    this.reasons = reasons;
  }
}

/** Thrown within a transaction: commits the writes made so far, then throws `cause`. */
export class CommitThenThrow extends Error {
  override readonly name = 'CommitThenThrow';
  constructor(cause: AuthHttpError | OAuthError) {
    super(cause.message, { cause });
  }
}

export const badRequest = (code: string, message: string, cause?: unknown): AuthHttpError =>
  new AuthHttpError(400, code, message, { cause });
export const unauthorized = (code: string, message: string): AuthHttpError =>
  new AuthHttpError(401, code, message);
export const forbidden = (code: string, message: string): AuthHttpError =>
  new AuthHttpError(403, code, message);
export const notFound = (code: string, message: string): AuthHttpError =>
  new AuthHttpError(404, code, message);
export const unprocessable = (code: string, message: string): AuthHttpError =>
  new AuthHttpError(422, code, message);
export const tooManyRequests = (code: string, message: string): AuthHttpError =>
  new AuthHttpError(429, code, message);
export const internal = (message: string, cause?: unknown): AuthHttpError =>
  new AuthHttpError(500, 'unexpected_failure', message, { cause });
export const invalid = (message: string, cause?: unknown): AuthHttpError =>
  badRequest('validation_failed', message, cause);

/** A refusal in place of PostgreSQL's error at a NUL character, where the real service responds 500; other errors unchanged. */
export function refuseNul(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  const isNul = [error, cause].some((problem) => hasSqlState(problem, '22021', '22P05'));
  return isNul ? invalid('A text contains a NUL character', error) : error;
}

/** An answer of the HTTP form: a status, one of the service's error codes, a message for people. */
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

/** An answer of the OAuth form (RFC 6749 section 5.2): always 400, never a code. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly error: string;
  constructor(error: string, description: string, options?: ErrorOptions) {
    super(description, options);
    this.error = error;
  }
}

/** A password that misses the project's rules; `reasons` goes to the wire. */
export class WeakPasswordError extends Error {
  override readonly name = 'WeakPasswordError';
  readonly reasons: readonly string[];
  constructor(message: string, reasons: readonly string[]) {
    super(message);
    this.reasons = reasons;
  }
}

/** Thrown inside a transaction: what was written so far is kept, then `cause` is thrown. */
export class CommitThenThrow extends Error {
  override readonly name = 'CommitThenThrow';
  constructor(cause: AuthHttpError | OAuthError) {
    super(cause.message, { cause });
  }
}

export const badRequest = (code: string, message: string): AuthHttpError =>
  new AuthHttpError(400, code, message);
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
/** The most frequent answer to bad input. */
export const invalid = (message: string): AuthHttpError => badRequest('validation_failed', message);

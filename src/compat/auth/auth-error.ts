import { type AuthErrorCode, AuthError as NativeAuthError } from '../../auth-client/index.ts';

/** Why a call of the auth service failed. */
export class AuthError extends Error {
  /** The class of the error. */
  override name = 'AuthError';
  /** The server's code; undefined if the server gave none. */
  code: string | undefined;
  /** HTTP status; 0 without an answer. */
  status: number | undefined;

  /** @param message for developers, in English. */
  constructor(message: string, status?: number, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }

  /** The fields of the error, which `JSON.stringify` leaves out of other errors. */
  toJSON(): { name: string; message: string; status: number | undefined; code: string | undefined } {
    const { name, message, status, code } = this;
    return { name, message, status, code };
  }
}

/** The server refused the call. */
export class AuthApiError extends AuthError {
  /** `AuthApiError`. */
  override name = 'AuthApiError';
}

/** The failure is of no known kind. */
export class AuthUnknownError extends AuthError {
  /** `AuthUnknownError`. */
  override name = 'AuthUnknownError';
}

/** The call needs a signed-in user. */
export class AuthSessionMissingError extends AuthError {
  /** `AuthSessionMissingError`. */
  override name = 'AuthSessionMissingError';

  /** @param options the error underneath. */
  constructor(options?: ErrorOptions) {
    super('Auth session missing!', 400, undefined, options);
  }
}

/** An argument of the call is missing. */
export class AuthInvalidCredentialsError extends AuthError {
  /** `AuthInvalidCredentialsError`. */
  override name = 'AuthInvalidCredentialsError';
}

/** An access token failed its verification. */
export class AuthInvalidJwtError extends AuthError {
  /** `AuthInvalidJwtError`. */
  override name = 'AuthInvalidJwtError';
}

/** The server gave no answer, or says that it will answer later. */
export class AuthRetryableFetchError extends AuthError {
  /** `AuthRetryableFetchError`. */
  override name = 'AuthRetryableFetchError';
}

/** Another browser began the flow whose code was to be exchanged. */
export class AuthPKCECodeVerifierMissingError extends AuthError {
  /** `AuthPKCECodeVerifierMissingError`. */
  override name = 'AuthPKCECodeVerifierMissingError';
}

/** The password is too weak. */
export class AuthWeakPasswordError extends AuthError {
  /** `AuthWeakPasswordError`. */
  override name = 'AuthWeakPasswordError';
  /** `length`, `characters` or `pwned`. */
  reasons: readonly string[];

  /** @param reasons what the password lacks. */
  constructor(message: string, status: number, reasons: readonly string[], options?: ErrorOptions) {
    super(message, status, 'weak_password', options);
    this.reasons = reasons;
  }
}

/** Whether a value is an error of the auth service. */
export const isAuthError = (error: unknown): error is AuthError => error instanceof AuthError;
/** Whether the server refused the call. */
export const isAuthApiError = (error: unknown): error is AuthApiError => error instanceof AuthApiError;
/** Whether the call needs a signed-in user. */
export const isAuthSessionMissingError = (error: unknown): error is AuthSessionMissingError =>
  error instanceof AuthSessionMissingError;
/** Whether the call may succeed later. */
export const isAuthRetryableFetchError = (error: unknown): error is AuthRetryableFetchError =>
  error instanceof AuthRetryableFetchError;
/** Whether a password is too weak. */
export const isAuthWeakPasswordError = (error: unknown): error is AuthWeakPasswordError =>
  error instanceof AuthWeakPasswordError;

/** Statuses of a failure that passes. */
const passingStatuses: ReadonlySet<number | null> = new Set([502, 503, 504, 520, 521, 522, 523, 524, 530]);

type CreateError = (message: string, options: ErrorOptions) => AuthError;

const retryable: CreateError = (message, options) =>
  new AuthRetryableFetchError(message, 0, undefined, options);
const invalidJwt: CreateError = (message, options) =>
  new AuthInvalidJwtError(message, 400, 'invalid_jwt', options);

/** The vendor's classes for the errors that the native client makes itself. */
const clientErrors: Readonly<Partial<Record<AuthErrorCode, CreateError>>> = {
  'missing-session': (_message, options) => new AuthSessionMissingError(options),
  network: retryable,
  timeout: retryable,
  aborted: retryable,
  'token-expired': invalidJwt,
  'invalid-signature': invalidJwt,
  'invalid-token': invalidJwt,
  'invalid-argument': (message, options) => new AuthInvalidCredentialsError(message, 400, undefined, options),
  'pkce-verifier-missing': (message, options) =>
    new AuthPKCECodeVerifierMissingError(message, 400, 'pkce_code_verifier_not_found', options),
};

/** The vendor's error for what a native call throws, which is its `cause`. */
export function toAuthError(problem: unknown): AuthError {
  if (!(problem instanceof NativeAuthError)) {
    if (problem instanceof AuthError) return problem;
    const message = problem instanceof Error ? problem.message : String(problem);
    return new AuthUnknownError(message, undefined, undefined, { cause: problem });
  }
  const { message, status, serverCode, weakPasswordReasons } = problem;
  const options = { cause: problem };
  if (passingStatuses.has(status))
    return new AuthRetryableFetchError(message, status ?? 0, undefined, options);
  if (problem.code === 'weak_password')
    return new AuthWeakPasswordError(message, status ?? 422, weakPasswordReasons, options);
  const createOwn = clientErrors[problem.code];
  if (createOwn) return createOwn(message, options);
  return status === null
    ? new AuthUnknownError(message, undefined, problem.code, options)
    : new AuthApiError(message, status, serverCode ?? problem.code, options);
}

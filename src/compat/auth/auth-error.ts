import { type AuthErrorCode, AuthError as NativeAuthError } from '../../auth-client/index.ts';
import { isTransientStatus } from '../../platform/retry.ts';

/** Why a call of the auth service failed. */
export class AuthError extends Error {
  override name = 'AuthError';
  /** The server's code; undefined if the server sent none. */
  code: string | undefined;
  /** HTTP status; 0 without a response. */
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
  override name = 'AuthApiError';
}

/** The failure is of no known kind. */
export class AuthUnknownError extends AuthError {
  override name = 'AuthUnknownError';
  /** What was thrown. */
  originalError: unknown;

  /** @param originalError what was thrown. */
  constructor(message: string, originalError: unknown) {
    super(message, undefined, undefined, { cause: originalError });
    this.originalError = originalError;
  }
}

/** The call needs a signed-in user. */
export class AuthSessionMissingError extends AuthError {
  override name = 'AuthSessionMissingError';

  /** @param options the underlying error. */
  constructor(options?: ErrorOptions) {
    super('Auth session missing!', 400, undefined, options);
  }
}

/** An argument of the call is missing. */
export class AuthInvalidCredentialsError extends AuthError {
  override name = 'AuthInvalidCredentialsError';

  /** @param options the underlying error. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, 400, undefined, options);
  }
}

/** An access token failed its verification. */
export class AuthInvalidJwtError extends AuthError {
  override name = 'AuthInvalidJwtError';

  /** @param options the underlying error. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, 400, 'invalid_jwt', options);
  }
}

/** The error of a failed sign-in in a page's URL. */
export interface RedirectErrorDetails {
  error: string;
  code: string;
}

/** The URL to which a link or provider has returned contains an error. */
export class AuthImplicitGrantRedirectError extends AuthError {
  override name = 'AuthImplicitGrantRedirectError';
  /** The error in the URL. */
  details: RedirectErrorDetails | null;

  /** @param details the error in the URL. */
  constructor(message: string, details: RedirectErrorDetails | null = null, options?: ErrorOptions) {
    super(message, 500, undefined, options);
    this.details = details;
  }

  override toJSON() {
    return { ...super.toJSON(), details: this.details };
  }
}

/** No response arrived, or the failure is transient. */
export class AuthRetryableFetchError extends AuthError {
  override name = 'AuthRetryableFetchError';

  /** @param status 0 without a response. */
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, status, undefined, options);
  }
}

/** Another browser began the flow of the code. */
export class AuthPKCECodeVerifierMissingError extends AuthError {
  override name = 'AuthPKCECodeVerifierMissingError';

  /** @param options the underlying error. */
  constructor(options?: ErrorOptions) {
    super(
      'PKCE code verifier not found in storage: another browser or device began this sign-in, or the storage was cleared.',
      400,
      'pkce_code_verifier_not_found',
      options,
    );
  }
}

/** Another user signed in during the call, or the session ended. */
export class AuthRefreshDiscardedError extends AuthError {
  override name = 'AuthRefreshDiscardedError';

  /** @param message for developers, in English. */
  constructor(
    message = 'Refresh result discarded: another user signed in, or the session ended',
    options?: ErrorOptions,
  ) {
    super(message, 409, undefined, options);
  }
}

/** The password is too weak. */
export class AuthWeakPasswordError extends AuthError {
  override name = 'AuthWeakPasswordError';
  /** `length`, `characters` or `pwned`. */
  reasons: readonly string[];

  /** @param reasons what the password lacks. */
  constructor(message: string, status: number, reasons: readonly string[], options?: ErrorOptions) {
    super(message, status, 'weak_password', options);
    this.reasons = reasons;
  }

  override toJSON() {
    return { ...super.toJSON(), reasons: this.reasons };
  }
}

/** Whether a value is an error of the auth service. */
export const isAuthError = (error: unknown): error is AuthError => error instanceof AuthError;
/** Whether the server refused the call. */
export const isAuthApiError = (error: unknown): error is AuthApiError => error instanceof AuthApiError;
/** Whether the error is from the URL of a page. */
export const isAuthImplicitGrantRedirectError = (error: unknown): error is AuthImplicitGrantRedirectError =>
  error instanceof AuthImplicitGrantRedirectError;
/** Whether the call failed because no user is signed in. */
export const isAuthSessionMissingError = (error: unknown): error is AuthSessionMissingError =>
  error instanceof AuthSessionMissingError;
/** Whether another user signed in during the call, or the session ended. */
export const isAuthRefreshDiscardedError = (error: unknown): error is AuthRefreshDiscardedError =>
  error instanceof AuthRefreshDiscardedError;
/** Whether the call may succeed later. */
export const isAuthRetryableFetchError = (error: unknown): error is AuthRetryableFetchError =>
  error instanceof AuthRetryableFetchError;
/** Whether another browser began the flow of the code. */
export const isAuthPKCECodeVerifierMissingError = (
  error: unknown,
): error is AuthPKCECodeVerifierMissingError => error instanceof AuthPKCECodeVerifierMissingError;
/** Whether a password is too weak. */
export const isAuthWeakPasswordError = (error: unknown): error is AuthWeakPasswordError =>
  error instanceof AuthWeakPasswordError;

type CreateError = (message: string, options: ErrorOptions) => AuthError;

/** The vendor's client uses the message of the underlying failure. */
const retryable: CreateError = (message, options) => {
  const { cause } = options.cause as NativeAuthError;
  return new AuthRetryableFetchError(cause instanceof Error ? cause.message : message, 0, options);
};
const invalidJwt: CreateError = (message, options) => new AuthInvalidJwtError(message, options);

/** The vendor's classes for the errors that the native client makes itself. */
const clientErrors: Readonly<Partial<Record<AuthErrorCode, CreateError>>> = {
  'missing-session': (_message, options) => new AuthSessionMissingError(options),
  'user-changed': (message, options) => {
    const { cause } = options.cause as NativeAuthError;
    return cause instanceof NativeAuthError
      ? toAuthError(cause)
      : new AuthRefreshDiscardedError(message, options);
  },
  network: retryable,
  timeout: retryable,
  aborted: retryable,
  'token-expired': invalidJwt,
  'invalid-signature': invalidJwt,
  'invalid-token': invalidJwt,
  'invalid-argument': (message, options) => new AuthInvalidCredentialsError(message, options),
  'pkce-verifier-missing': (_message, options) => new AuthPKCECodeVerifierMissingError(options),
};

/** The vendor's error for an error of a native call, which becomes the `cause`. */
export function toAuthError(problem: unknown): AuthError {
  if (!(problem instanceof NativeAuthError)) {
    if (problem instanceof AuthError) return problem;
    return new AuthUnknownError(problem instanceof Error ? problem.message : String(problem), problem);
  }
  const { message, status, serverCode, weakPasswordReasons } = problem;
  const options = { cause: problem };
  if (isTransientStatus(status) && status !== 429)
    return new AuthRetryableFetchError(message, status ?? 0, options);
  if (problem.code === 'weak_password')
    return new AuthWeakPasswordError(message, status ?? 422, weakPasswordReasons, options);
  const createOwn = clientErrors[problem.code];
  if (createOwn) return createOwn(message, options);
  return status === null
    ? new AuthUnknownError(message, problem)
    : new AuthApiError(message, status, serverCode ?? problem.code, options);
}

/** The vendor's error for a failed sign-in in the URL of a page. */
export function toRedirectError(problem: NativeAuthError): AuthError {
  const { status, serverCode, message } = problem;
  if (status !== null || serverCode === null) return toAuthError(problem);
  const details = { error: serverCode, code: serverCode };
  return new AuthImplicitGrantRedirectError(message, details, { cause: problem });
}

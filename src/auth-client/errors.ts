import { UserChanged } from '../platform/call-user.ts';

/** The error codes of the auth server, in the version that this client was written for. */
export const serverErrorCodes = [
  'anonymous_provider_disabled',
  'bad_code_verifier',
  'bad_json',
  'bad_jwt',
  'bad_oauth_callback',
  'bad_oauth_state',
  'captcha_failed',
  'conflict',
  'current_password_invalid',
  'current_password_required',
  'custom_provider_not_found',
  'email_address_invalid',
  'email_address_not_authorized',
  'email_address_not_provided',
  'email_conflict_identity_not_deletable',
  'email_exists',
  'email_not_confirmed',
  'email_provider_disabled',
  'feature_disabled',
  'flow_state_already_used',
  'flow_state_expired',
  'flow_state_not_found',
  'hook_payload_invalid_content_type',
  'hook_payload_over_size_limit',
  'hook_timeout',
  'hook_timeout_after_retry',
  'identity_already_exists',
  'identity_not_found',
  'insufficient_aal',
  'invalid_credentials',
  'invite_not_found',
  'manual_linking_disabled',
  'mfa_challenge_expired',
  'mfa_factor_name_conflict',
  'mfa_factor_not_found',
  'mfa_ip_address_mismatch',
  'mfa_phone_enroll_not_enabled',
  'mfa_phone_verify_not_enabled',
  'mfa_recovery_codes_enroll_not_enabled',
  'mfa_recovery_codes_locked',
  'mfa_recovery_codes_sole_factor',
  'mfa_recovery_codes_verify_not_enabled',
  'mfa_totp_enroll_not_enabled',
  'mfa_totp_verify_not_enabled',
  'mfa_verification_failed',
  'mfa_verification_rejected',
  'mfa_verified_factor_exists',
  'mfa_webauthn_enroll_not_enabled',
  'mfa_webauthn_verify_not_enabled',
  'no_authorization',
  'not_admin',
  'oauth_authorization_not_found',
  'oauth_client_not_found',
  'oauth_client_state_expired',
  'oauth_client_state_not_found',
  'oauth_consent_not_found',
  'oauth_dynamic_client_registration_disabled',
  'oauth_invalid_state',
  'oauth_provider_not_supported',
  'otp_disabled',
  'otp_expired',
  'over_custom_provider_quota',
  'over_email_send_rate_limit',
  'over_request_rate_limit',
  'over_sms_send_rate_limit',
  'passkey_disabled',
  'phone_exists',
  'phone_not_confirmed',
  'phone_provider_disabled',
  'provider_disabled',
  'provider_email_needs_verification',
  'reauthentication_needed',
  'reauthentication_not_valid',
  'refresh_token_already_used',
  'refresh_token_not_found',
  'request_entity_too_large',
  'request_timeout',
  'same_password',
  'saml_assertion_no_email',
  'saml_assertion_no_user_id',
  'saml_entity_id_mismatch',
  'saml_idp_already_exists',
  'saml_idp_not_found',
  'saml_metadata_fetch_failed',
  'saml_provider_disabled',
  'saml_relay_state_expired',
  'saml_relay_state_not_found',
  'session_expired',
  'session_not_found',
  'signup_disabled',
  'single_identity_not_deletable',
  'sms_send_failed',
  'sso_domain_already_exists',
  'sso_provider_disabled',
  'sso_provider_not_found',
  'too_many_enrolled_mfa_factors',
  'too_many_passkeys',
  'unexpected_audience',
  'unexpected_failure',
  'unknown',
  'user_already_exists',
  'user_banned',
  'user_not_found',
  'user_sso_managed',
  'validation_failed',
  'weak_password',
  'web3_provider_disabled',
  'web3_unsupported_chain',
  'webauthn_challenge_expired',
  'webauthn_challenge_not_found',
  'webauthn_credential_exists',
  'webauthn_credential_not_found',
  'webauthn_verification_failed',
] as const;

/**
 * Error codes of the auth server, snake_case as on the wire (GoTrue's `internal/api/apierrors/errorcode.go`). A code of a server newer
 * than this list becomes `unknown`, and is the `serverCode` of the error.
 */
export type ServerErrorCode = (typeof serverErrorCodes)[number];

/**
 * Error codes that the client makes, kebab-case.
 *
 * - `network`, `timeout`, `aborted`: no response (offline, the deadline, the caller's signal).
 * - `redirected`: the server redirected the request, which was not followed.
 * - `not-the-service`: the response is not the auth server's, for example a proxy's HTML page; see `status`.
 * - `oauth-error`: an OAuth error (RFC 6749 §5.2), whose `error` is `serverCode`.
 * - `invalid-argument`: an argument of the call is missing or wrong; nothing was sent.
 * - `invalid-options`: an option of the client is missing or wrong; nothing was sent.
 * - `missing-session`: the call needs a signed-in user.
 * - `user-changed`: another user signed in during the call, or the session ended; nothing more was sent.
 * - `pkce-verifier-missing`: the link was requested by another browser; continue with the code in the same email.
 * - `implicit-flow-disabled`: the callback URL carries tokens, and the option `acceptImplicitFlow` is off.
 * - `token-expired`, `invalid-signature`, `invalid-token`: verification of an access token failed because it has expired,
 *   because no key of the project signed it, or for the reason in `cause`.
 * - `storage-unavailable`: the session storage is blocked, full or slow; the session is in memory only.
 * - `unsupported-runtime`: the runtime lacks something that the call needs, named in the message.
 * - `passkey-canceled`: the person dismissed the browser's prompt for a passkey, or it timed out; the browser does not say which.
 * - `passkey-failed`: the browser refused a passkey for the reason in `cause`, such as a `SecurityError` where the project's
 *   relying party ID is not the page's host.
 */
export type ClientErrorCode =
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'redirected'
  | 'not-the-service'
  | 'oauth-error'
  | 'invalid-argument'
  | 'invalid-options'
  | 'missing-session'
  | 'user-changed'
  | 'pkce-verifier-missing'
  | 'implicit-flow-disabled'
  | 'token-expired'
  | 'invalid-signature'
  | 'invalid-token'
  | 'storage-unavailable'
  | 'unsupported-runtime'
  | 'passkey-canceled'
  | 'passkey-failed';

/** Every code of an {@link AuthError}. */
export type AuthErrorCode = ServerErrorCode | ClientErrorCode;

/** The fields of an {@link AuthError} besides its code and message. */
export interface AuthErrorFields {
  /** HTTP status of the response. Default: null, no response. */
  readonly status?: number | null;
  /** Seconds until the server accepts the call again. Default: null, the server sent none. */
  readonly retryAfterSeconds?: number | null;
  /** The code as the server sent it. Default: null, the client made the error. */
  readonly serverCode?: string | null;
  /** What a password lacks. Default: empty. */
  readonly weakPasswordReasons?: readonly string[];
  /** The error that caused this one. */
  readonly cause?: unknown;
}

/** The one error class of the auth client. */
export class AuthError extends Error {
  /** Always `AuthError`, for code that cannot use `instanceof`. */
  override readonly name = 'AuthError';
  /** The reason, of a closed set. */
  readonly code: AuthErrorCode;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Seconds until another attempt may succeed (Retry-After, RFC 9110 §10.2.3); null where the server names none. */
  readonly retryAfterSeconds: number | null;
  /** The code as the server sent it: GoTrue's `error_code`, or OAuth's `error`; null if the client made the error. */
  readonly serverCode: string | null;
  /** For `weak_password`: `length`, `characters` or `pwned`. Empty for other codes. */
  readonly weakPasswordReasons: readonly string[];

  /** @param message for developers, in English. */
  constructor(code: AuthErrorCode, message: string, fields: AuthErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
    this.serverCode = fields.serverCode ?? null;
    this.weakPasswordReasons = fields.weakPasswordReasons ?? [];
  }
}

/** An {@link AuthError} with `missing-session`. */
export function missingSession(): AuthError {
  return new AuthError('missing-session', 'No user is signed in');
}

/** An {@link AuthError} with `user-changed`. `cause`: the refusal that ended the session, if any. */
export function userChanged(cause?: unknown): AuthError {
  return new AuthError('user-changed', new UserChanged().message, { cause });
}

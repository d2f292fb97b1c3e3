/**
 * Codes of the auth server (its `apierrors/errorcode.go`, 109 of them). Types only: a bundle does not carry the list;
 * whoever needs it at run time imports `server-error-codes.ts`. A code that a newer server invents passes through.
 */
export type ServerErrorCode =
  | 'anonymous_provider_disabled'
  | 'bad_code_verifier'
  | 'bad_json'
  | 'bad_jwt'
  | 'bad_oauth_callback'
  | 'bad_oauth_state'
  | 'captcha_failed'
  | 'conflict'
  | 'current_password_invalid'
  | 'current_password_required'
  | 'custom_provider_not_found'
  | 'email_address_invalid'
  | 'email_address_not_authorized'
  | 'email_address_not_provided'
  | 'email_conflict_identity_not_deletable'
  | 'email_exists'
  | 'email_not_confirmed'
  | 'email_provider_disabled'
  | 'feature_disabled'
  | 'flow_state_already_used'
  | 'flow_state_expired'
  | 'flow_state_not_found'
  | 'hook_payload_invalid_content_type'
  | 'hook_payload_over_size_limit'
  | 'hook_timeout'
  | 'hook_timeout_after_retry'
  | 'identity_already_exists'
  | 'identity_not_found'
  | 'insufficient_aal'
  | 'invalid_credentials'
  | 'invite_not_found'
  | 'manual_linking_disabled'
  | 'mfa_challenge_expired'
  | 'mfa_factor_name_conflict'
  | 'mfa_factor_not_found'
  | 'mfa_ip_address_mismatch'
  | 'mfa_phone_enroll_not_enabled'
  | 'mfa_phone_verify_not_enabled'
  | 'mfa_totp_enroll_not_enabled'
  | 'mfa_totp_verify_not_enabled'
  | 'mfa_verification_failed'
  | 'mfa_verification_rejected'
  | 'mfa_verified_factor_exists'
  | 'mfa_webauthn_enroll_not_enabled'
  | 'mfa_webauthn_verify_not_enabled'
  | 'no_authorization'
  | 'not_admin'
  | 'oauth_authorization_not_found'
  | 'oauth_client_not_found'
  | 'oauth_client_state_expired'
  | 'oauth_client_state_not_found'
  | 'oauth_consent_not_found'
  | 'oauth_dynamic_client_registration_disabled'
  | 'oauth_invalid_state'
  | 'oauth_provider_not_supported'
  | 'otp_disabled'
  | 'otp_expired'
  | 'over_custom_provider_quota'
  | 'over_email_send_rate_limit'
  | 'over_request_rate_limit'
  | 'over_sms_send_rate_limit'
  | 'passkey_disabled'
  | 'phone_exists'
  | 'phone_not_confirmed'
  | 'phone_provider_disabled'
  | 'provider_disabled'
  | 'provider_email_needs_verification'
  | 'reauthentication_needed'
  | 'reauthentication_not_valid'
  | 'refresh_token_already_used'
  | 'refresh_token_not_found'
  | 'request_entity_too_large'
  | 'request_timeout'
  | 'same_password'
  | 'saml_assertion_no_email'
  | 'saml_assertion_no_user_id'
  | 'saml_entity_id_mismatch'
  | 'saml_idp_already_exists'
  | 'saml_idp_not_found'
  | 'saml_metadata_fetch_failed'
  | 'saml_provider_disabled'
  | 'saml_relay_state_expired'
  | 'saml_relay_state_not_found'
  | 'session_expired'
  | 'session_not_found'
  | 'signup_disabled'
  | 'single_identity_not_deletable'
  | 'sms_send_failed'
  | 'sso_domain_already_exists'
  | 'sso_provider_disabled'
  | 'sso_provider_not_found'
  | 'too_many_enrolled_mfa_factors'
  | 'too_many_passkeys'
  | 'unexpected_audience'
  | 'unexpected_failure'
  | 'unknown'
  | 'user_already_exists'
  | 'user_banned'
  | 'user_not_found'
  | 'user_sso_managed'
  | 'validation_failed'
  | 'weak_password'
  | 'web3_provider_disabled'
  | 'web3_unsupported_chain'
  | 'webauthn_challenge_expired'
  | 'webauthn_challenge_not_found'
  | 'webauthn_credential_exists'
  | 'webauthn_credential_not_found'
  | 'webauthn_verification_failed';

/**
 * What the client itself finds.
 * - `network`, `timeout`, `aborted`: no reply (offline, the deadline, the caller's signal).
 * - `invalid-response`: a reply that is not the auth server's, such as a proxy's HTML; `status` tells which.
 * - `oauth-error`: a refusal in OAuth's form, which carries no code of the list; `reasons[0]` is its `error`.
 * - `invalid-argument`, `configuration-incomplete`: nothing was sent.
 * - `missing-session`: the call needs a signed-in user.
 * - `pkce-verifier-missing`: the link was requested by another browser; go on with the code in the same mail.
 * - `expired-token`, `invalid-signature`, `invalid-token`: an access token failed verification: it is too old; no key of the
 *   project signed it; or for another reason, which `cause` tells.
 * - `storage-unavailable`: storage is blocked, full or corrupt; the session lives in memory.
 */
export type ClientErrorCode =
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'invalid-response'
  | 'oauth-error'
  | 'invalid-argument'
  | 'configuration-incomplete'
  | 'missing-session'
  | 'pkce-verifier-missing'
  | 'expired-token'
  | 'invalid-signature'
  | 'invalid-token'
  | 'storage-unavailable';

export type AuthErrorCode = ServerErrorCode | ClientErrorCode;

export interface AuthErrorDetails {
  /** HTTP status of the reply. Default: null, no reply. */
  readonly status?: number | null;
  /** Seconds after which the server accepts the call again. Default: null, not said. */
  readonly retryAfterSeconds?: number | null;
  /** Why a password is weak (`length`, `characters`, `pwned`), or OAuth's `error`. Default: none. */
  readonly reasons?: readonly string[];
  readonly cause?: unknown;
}

/** `missing-session`. */
export const missingSession = (): AuthError =>
  new AuthError('missing-session', 'Nobody is signed in, or somebody else');

/** The one error of the auth client. */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly code: AuthErrorCode;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly reasons: readonly string[];

  constructor(code: AuthErrorCode, message: string, details: AuthErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.reasons = details.reasons ?? [];
  }
}

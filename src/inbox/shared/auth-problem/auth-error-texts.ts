import type { AuthErrorCode } from 'supabase-protocol-clients/auth-client';
import { defineTexts, type Translation } from '../../ui/texts.ts';

/** For codes that no screen of this application can cause. */
const unexpected = 'Something went wrong. Please try again.';
const notOffered = 'This way of signing in isn’t available here.';
const expiredSignIn = 'This took too long or was already used. Please start over.';
const signedOut = 'You’ve been signed out. Please sign in again.';
const tooManyCause = 'Too many attempts.';
const tooMany = `${tooManyCause} Please wait a moment and try again.`;
const serverCause = 'Something’s wrong on our side.';
const serverTrouble = `${serverCause} Please try again in a minute.`;
const passkey =
  'This passkey wasn’t accepted. It may have been removed from the account. Try another way to sign in.';
const slowPasskey = 'This took too long. Please try again.';
const singleSignOn = 'Single sign-on isn’t set up for this. Ask your administrator.';

/** One message per code of the auth client. A code without a message is a type error. */
const messages: Readonly<Record<AuthErrorCode, string>> = {
  invalid_credentials: 'Wrong email or password.',
  email_not_confirmed: 'This email address isn’t confirmed yet. Use the link or the code that we sent to it.',
  phone_not_confirmed: 'This phone number isn’t confirmed yet.',
  user_banned: 'This account is blocked. Please contact support.',
  user_not_found: 'This account no longer exists.',
  user_already_exists: 'There’s already an account with this address. Sign in instead.',
  email_exists: 'Another account already uses this address.',
  phone_exists: 'Another account already uses this number.',
  identity_already_exists: 'This sign-in already belongs to another account.',
  weak_password: 'This password is too easy to guess.',
  same_password: 'That’s already your password. Choose another one.',
  current_password_invalid: 'That’s not your current password.',
  current_password_required: 'Enter your current password too.',
  reauthentication_needed: 'Please confirm that it’s you: enter the code that we emailed you.',
  reauthentication_not_valid: 'That code isn’t valid. Check it, or get a new one.',
  otp_expired: 'That code isn’t valid. Check it, or get a new one.',
  otp_disabled: 'There’s no account with this address. Create one first.',
  email_address_invalid: 'This address can’t receive email. Check it for typos.',
  email_address_not_authorized: 'We can’t send email to this address.',
  email_address_not_provided: 'The provider didn’t share your email address.',
  provider_email_needs_verification: 'Confirm your email address first: check your mailbox.',
  signup_disabled: 'We’re not taking new accounts at the moment.',
  email_provider_disabled: notOffered,
  phone_provider_disabled: notOffered,
  provider_disabled: notOffered,
  anonymous_provider_disabled: notOffered,
  passkey_disabled: notOffered,
  web3_provider_disabled: notOffered,
  web3_unsupported_chain: notOffered,
  oauth_provider_not_supported: notOffered,
  custom_provider_not_found: notOffered,
  feature_disabled: notOffered,
  manual_linking_disabled: 'Linking more ways to sign in is turned off here.',
  captcha_failed: 'We couldn’t confirm that you’re human. Please try again.',
  over_request_rate_limit: tooMany,
  over_email_send_rate_limit: 'We’ve just sent you an email. Wait a moment before you ask for another one.',
  over_sms_send_rate_limit:
    'We’ve just sent you a text message. Wait a moment before you ask for another one.',
  over_custom_provider_quota: tooMany,
  insufficient_aal: 'Confirm with your second factor first: sign out, then sign in again.',
  mfa_verification_failed: 'That code isn’t right. Enter the one that your app shows now.',
  mfa_verification_rejected: 'Your second factor was rejected. Please contact support.',
  mfa_challenge_expired: 'This took too long. Enter the code that your app shows now.',
  mfa_ip_address_mismatch: 'Your network changed. Please enter the code again.',
  mfa_factor_name_conflict: 'You already have an authenticator with this name. Choose another name.',
  mfa_factor_not_found: 'This authenticator no longer exists. Reload the page.',
  mfa_verified_factor_exists: 'This app is already set up.',
  too_many_enrolled_mfa_factors: 'You’ve reached the limit of authenticators. Remove one first.',
  mfa_totp_enroll_not_enabled: 'Authenticator apps are turned off here.',
  mfa_totp_verify_not_enabled: 'Authenticator apps are turned off here.',
  mfa_phone_enroll_not_enabled: notOffered,
  mfa_phone_verify_not_enabled: notOffered,
  mfa_webauthn_enroll_not_enabled: notOffered,
  mfa_webauthn_verify_not_enabled: notOffered,
  single_identity_not_deletable:
    'This is the only way into your account. Add another one before you remove it.',
  email_conflict_identity_not_deletable: 'It can’t be removed: another account uses its address.',
  identity_not_found: 'This sign-in is no longer linked. Reload the page.',
  user_sso_managed: 'Your organization manages this account. Change it there.',
  too_many_passkeys: 'You’ve reached the limit of passkeys. Remove one first.',
  webauthn_challenge_expired: slowPasskey,
  webauthn_challenge_not_found: slowPasskey,
  webauthn_credential_exists: 'This device already has a passkey for your account.',
  webauthn_credential_not_found: passkey,
  webauthn_verification_failed: passkey,
  'passkey-canceled':
    'No passkey was used: the prompt was canceled or took too long. Try again when you’re ready.',
  'passkey-failed': 'Your browser couldn’t use a passkey on this page. Try another way to sign in.',
  bad_code_verifier: expiredSignIn,
  flow_state_already_used: expiredSignIn,
  flow_state_expired: expiredSignIn,
  flow_state_not_found: expiredSignIn,
  bad_oauth_callback: expiredSignIn,
  bad_oauth_state: expiredSignIn,
  oauth_invalid_state: expiredSignIn,
  oauth_client_state_expired: expiredSignIn,
  oauth_client_state_not_found: expiredSignIn,
  oauth_authorization_not_found: expiredSignIn,
  oauth_consent_not_found: expiredSignIn,
  oauth_client_not_found: unexpected,
  oauth_dynamic_client_registration_disabled: unexpected,
  'oauth-error': 'The provider declined the sign-in.',
  saml_assertion_no_email: singleSignOn,
  saml_assertion_no_user_id: singleSignOn,
  saml_entity_id_mismatch: singleSignOn,
  saml_idp_already_exists: singleSignOn,
  saml_idp_not_found: singleSignOn,
  saml_metadata_fetch_failed: singleSignOn,
  saml_provider_disabled: singleSignOn,
  saml_relay_state_expired: expiredSignIn,
  saml_relay_state_not_found: expiredSignIn,
  sso_domain_already_exists: singleSignOn,
  sso_provider_disabled: singleSignOn,
  sso_provider_not_found: singleSignOn,
  bad_jwt: signedOut,
  invite_not_found: 'This invitation is no longer valid.',
  no_authorization: signedOut,
  not_admin: 'You’re not allowed to do this.',
  'token-expired': signedOut,
  'invalid-signature': signedOut,
  'invalid-token': signedOut,
  'missing-session': signedOut,
  refresh_token_already_used: signedOut,
  refresh_token_not_found: signedOut,
  session_expired: signedOut,
  session_not_found: signedOut,
  unexpected_audience: signedOut,
  sms_send_failed: 'The text message couldn’t be sent. Please try again.',
  validation_failed: 'That wasn’t accepted. Check what you entered.',
  bad_json: unexpected,
  conflict: 'Two changes came in at the same time. Please try again.',
  request_entity_too_large: 'This is too long.',
  request_timeout: serverTrouble,
  hook_payload_invalid_content_type: serverTrouble,
  hook_payload_over_size_limit: serverTrouble,
  hook_timeout: serverTrouble,
  hook_timeout_after_retry: serverTrouble,
  unexpected_failure: serverTrouble,
  unknown: unexpected,
  'invalid-response': serverTrouble,
  network: 'Can’t reach the server. Check your connection and try again.',
  timeout: 'The server isn’t answering. Please try again.',
  aborted: 'The request was canceled.',
  redirected: 'The server isn’t set up correctly right now. Please try again later.',
  'invalid-argument': 'Check what you entered.',
  'invalid-options': 'This app isn’t fully set up.',
  'pkce-verifier-missing': 'This link works only in the browser that asked for it.',
  'implicit-flow-disabled': 'This link can’t be used to sign in here. Request a new one.',
  'unsupported-runtime': 'Your browser doesn’t support this. Try another browser.',
  'storage-unavailable':
    'This browser doesn’t keep data for this site, so you’ll be signed out when you close the page.',
};

/** The cause alone, for messages that advise to try again: the server's number of seconds replaces that advice. */
const causes: Readonly<Partial<Record<AuthErrorCode, string>>> = {
  over_request_rate_limit: tooManyCause,
  over_custom_provider_quota: tooManyCause,
  over_email_send_rate_limit: 'We’ve just sent you an email.',
  over_sms_send_rate_limit: 'We’ve just sent you a text message.',
  unknown: 'Something went wrong.',
  request_timeout: serverCause,
  hook_payload_invalid_content_type: serverCause,
  hook_payload_over_size_limit: serverCause,
  hook_timeout: serverCause,
  hook_timeout_after_retry: serverCause,
  unexpected_failure: serverCause,
  'invalid-response': serverCause,
  timeout: 'The server isn’t answering.',
  conflict: 'Two changes came in at the same time.',
};

const english = {
  messages,
  causes,
  weakPassword: {
    length: 'Use more characters.',
    characters: 'Mix lowercase and uppercase letters, digits and symbols.',
    pwned: 'It appeared in a data leak: don’t use it anywhere.',
  },
  tryAgainIn: (seconds: number) => `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  unknownSignupError: 'Unknown error during signup',
};

export type AuthErrorTexts = Translation<typeof english>;

/** One message per error code of the auth client. */
export const authErrorTexts = defineTexts<AuthErrorTexts>(english, () => import('./auth-error-texts.de.ts'));

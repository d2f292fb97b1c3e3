import type { HookSettings } from './hooks/hook-settings.ts';
import type { AccountChange } from './mail/mail-template.ts';

/** Requests per address and window, counted by a token bucket of 30 that refills at the given rate. */
export interface RateLimits {
  /** POST /token, per 5 minutes. Default 150. */
  readonly tokenRefresh: number;
  /** GET and POST /verify, per 5 minutes. Default 30. */
  readonly verify: number;
  /** Each of otp, recover, resend, magiclink, signup and PUT user, per 5 minutes. Default 30. */
  readonly otp: number;
  /** POST /sso, per 5 minutes. Default 30. */
  readonly sso: number;
  /** The web3 grant, per 5 minutes. Default 30. */
  readonly web3: number;
  /** Anonymous sign-ups, per hour; the size of the bucket is the same number. Default 30. */
  readonly anonymousUsers: number;
  /** Each of challenging and verifying factors, per minute. Default 15. */
  readonly factors: number;
  /** POST /passkeys/authentication/options, per 5 minutes. Default 30. */
  readonly passkeys: number;
  /** POST /oauth/clients/register, per 5 minutes. Default 10. */
  readonly oauthClientRegister: number;
  /** Mails of the whole project per hour. Default 30. */
  readonly emailSent: number;
  /** Text messages of the whole project per hour. Default 30. */
  readonly smsSent: number;
}

export const defaultRateLimits: RateLimits = {
  tokenRefresh: 150,
  verify: 30,
  otp: 30,
  sso: 30,
  web3: 30,
  anonymousUsers: 30,
  factors: 15,
  passkeys: 30,
  oauthClientRegister: 10,
  emailSent: 30,
  smsSent: 30,
};

/** A company's identity provider, simulated by a page of the test provider. */
export interface SsoConnection {
  /** UUID; clients may name it as `provider_id`. */
  readonly id: string;
  readonly domains: readonly string[];
}

/** The configuration of a project. Times are in seconds; `null` turns a feature off. */
export interface AuthSettings {
  readonly jwtExpirySeconds: number;
  readonly jwtAudience: string;
  readonly disableSignup: boolean;
  /** Sign-ups by email are confirmed at once. Default false. */
  readonly mailerAutoconfirm: boolean;
  /** Sign-ups by phone are confirmed at once. Default false. */
  readonly phoneAutoconfirm: boolean;
  /** A provider's unverified address may sign in. Default false. */
  readonly allowUnverifiedEmailSignIns: boolean;
  readonly emailEnabled: boolean;
  readonly phoneEnabled: boolean;
  readonly magicLinkEnabled: boolean;
  readonly anonymousEnabled: boolean;
  /** Whether both addresses must confirm a change of email. Default true. */
  readonly secureEmailChange: boolean;
  /** The account changes that are reported by mail. Default none. */
  readonly accountChangeMails: readonly AccountChange[];
  readonly emailOtpExpirySeconds: number;
  readonly smsOtpExpirySeconds: number;
  readonly otpLength: number;
  /** The text of messages with a code; `{{ .Code }}` is replaced. Default `Your code is {{ .Code }}`. */
  readonly smsTemplate: string;
  /** The text of messages with a code for a phone factor. */
  readonly phoneFactorTemplate: string;
  /** The length of phone factor codes. Default 6. */
  readonly phoneFactorOtpLength: number;
  /** Minimum time between two challenges of a phone factor. Default 0; 60 when rate limits are on. */
  readonly phoneFactorMaxFrequencySeconds: number;
  /** Minimum time between two mails to one user. Default 0; 60 when rate limits are on. */
  readonly emailMaxFrequencySeconds: number;
  /** Minimum time between two text messages to one user. Default 0; 60 when rate limits are on. */
  readonly smsMaxFrequencySeconds: number;
  /**
   * Minimum duration of requests that send mail, so that their duration does not reveal whether an account exists (on
   * the real service it does). Default 0; 300 when rate limits are on.
   */
  readonly mailResponseMs: number;
  /** The valid code of each test phone number (digits only); no message is sent to these numbers. */
  readonly smsTestOtp: Readonly<Record<string, string>>;
  readonly passwordMinLength: number;
  /** Character sets; a password must contain one character of each. */
  readonly passwordRequiredCharacters: readonly string[];
  /** Passwords that count as leaked (reason `pwned`), in place of the public service. */
  readonly pwnedPasswords: readonly string[];
  /** The cost of bcrypt. Default 10; tests use 4. */
  readonly bcryptCost: number;
  /** 1: twelve characters, one row each. 2: a signed counter of the session. */
  readonly refreshTokenVersion: 1 | 2;
  /** Whether `refreshTokenVersion` 2 upgrades version 1 tokens when they are used. Default true. */
  readonly refreshTokenUpgrade: boolean;
  readonly refreshTokenRotation: boolean;
  readonly refreshTokenReuseIntervalSeconds: number;
  readonly refreshTokenAllowReuse: boolean;
  readonly sessionTimeboxSeconds: number | null;
  readonly sessionInactivitySeconds: number | null;
  /** How long a user with a verified factor may stay at aal1. */
  readonly sessionLowAalSeconds: number | null;
  readonly sessionSinglePerUser: boolean;
  readonly passwordUpdateRequiresReauthentication: boolean;
  readonly passwordUpdateRequiresCurrentPassword: boolean;
  readonly manualLinkingEnabled: boolean;
  readonly flowStateExpirySeconds: number;
  /** The valid captcha token, or null for no captcha. */
  readonly captchaToken: string | null;
  readonly rateLimits: Partial<RateLimits> | null;
  /** Names of providers, each simulated by the test provider's page. */
  readonly externalProviders: readonly string[];
  /** Whether administrators may add providers (`custom:…`). Default true. */
  readonly customProvidersEnabled: boolean;
  /** The maximum number of custom providers; 0 means no limit. Default 0. */
  readonly maxCustomProviders: number;
  /** Whether actions are recorded in auth.audit_log_entries. Default true. */
  readonly auditLogEnabled: boolean;
  /** Whether the SCIM routes are enabled. Default true. */
  readonly scimEnabled: boolean;
  /** Whether other applications may sign users in through this service (OAuth 2.1, OpenID Connect). Default true. */
  readonly oauthServerEnabled: boolean;
  /** Whether applications may register themselves (RFC 7591). Default true. */
  readonly oauthDynamicRegistrationEnabled: boolean;
  /** The path of the site's consent page; '' for none. Default `/oauth/consent`. */
  readonly oauthAuthorizationPath: string;
  /** How long an authorization and its code are valid. Default 600. */
  readonly oauthAuthorizationExpirySeconds: number;
  readonly ssoConnections: readonly SsoConnection[];
  /** Functions and endpoints that the service calls at the points of `hookNames`. Default none. */
  readonly hooks: HookSettings;
  readonly web3EthereumEnabled: boolean;
  readonly web3SolanaEnabled: boolean;
  readonly web3ValiditySeconds: number;
  readonly totpEnrollEnabled: boolean;
  readonly totpVerifyEnabled: boolean;
  readonly phoneFactorEnrollEnabled: boolean;
  readonly phoneFactorVerifyEnabled: boolean;
  readonly webauthnFactorEnrollEnabled: boolean;
  readonly webauthnFactorVerifyEnabled: boolean;
  readonly factorChallengeExpirySeconds: number;
  readonly factorExpirySeconds: number;
  readonly maxEnrolledFactors: number;
  readonly maxVerifiedFactors: number;
  /** Default true. */
  readonly passkeysEnabled: boolean;
  /** Recovery codes as a second factor. The real service has a switch for them. Default true. */
  readonly recoveryCodesEnabled: boolean;
  readonly maxPasskeysPerUser: number;
  /** Reproduces faults of the real service: a passkey that is registered twice yields 500 instead of 422. Default false. */
  readonly realisticFaults: boolean;
  /** The domain of passkeys, without scheme and port. Default null: the host name of the site. */
  readonly webauthnRpId: string | null;
  /** The name of the application in the browser's passkey prompt. Default `Local Supabase`. */
  readonly webauthnRpDisplayName: string;
  /** The origins that may use passkeys. Default null: the origin of the site. */
  readonly webauthnRpOrigins: readonly string[] | null;
  readonly webauthnChallengeExpirySeconds: number;
}

const defaults: AuthSettings = {
  jwtExpirySeconds: 3600,
  jwtAudience: 'authenticated',
  disableSignup: false,
  mailerAutoconfirm: false,
  phoneAutoconfirm: false,
  allowUnverifiedEmailSignIns: false,
  emailEnabled: true,
  phoneEnabled: true,
  magicLinkEnabled: true,
  anonymousEnabled: true,
  secureEmailChange: true,
  accountChangeMails: [],
  emailOtpExpirySeconds: 3600,
  smsOtpExpirySeconds: 60,
  otpLength: 6,
  smsTemplate: 'Your code is {{ .Code }}',
  phoneFactorTemplate: 'Your code is {{ .Code }}',
  phoneFactorOtpLength: 6,
  phoneFactorMaxFrequencySeconds: 0,
  emailMaxFrequencySeconds: 0,
  smsMaxFrequencySeconds: 0,
  mailResponseMs: 0,
  smsTestOtp: {},
  passwordMinLength: 6,
  passwordRequiredCharacters: [],
  pwnedPasswords: [],
  bcryptCost: 10,
  refreshTokenVersion: 1,
  refreshTokenUpgrade: true,
  refreshTokenRotation: true,
  refreshTokenReuseIntervalSeconds: 10,
  refreshTokenAllowReuse: false,
  sessionTimeboxSeconds: null,
  sessionInactivitySeconds: null,
  sessionLowAalSeconds: null,
  sessionSinglePerUser: false,
  passwordUpdateRequiresReauthentication: false,
  passwordUpdateRequiresCurrentPassword: false,
  manualLinkingEnabled: true,
  flowStateExpirySeconds: 300,
  captchaToken: null,
  rateLimits: null,
  externalProviders: ['google', 'github', 'apple'],
  customProvidersEnabled: true,
  maxCustomProviders: 0,
  auditLogEnabled: true,
  scimEnabled: true,
  oauthServerEnabled: true,
  oauthDynamicRegistrationEnabled: true,
  oauthAuthorizationPath: '/oauth/consent',
  oauthAuthorizationExpirySeconds: 600,
  ssoConnections: [{ id: '5a3c5d1e-0000-4000-8000-000000000001', domains: ['sso.example.com'] }],
  hooks: {},
  web3EthereumEnabled: true,
  web3SolanaEnabled: true,
  web3ValiditySeconds: 600,
  totpEnrollEnabled: true,
  totpVerifyEnabled: true,
  phoneFactorEnrollEnabled: true,
  phoneFactorVerifyEnabled: true,
  webauthnFactorEnrollEnabled: true,
  webauthnFactorVerifyEnabled: true,
  factorChallengeExpirySeconds: 300,
  factorExpirySeconds: 300,
  maxEnrolledFactors: 10,
  maxVerifiedFactors: 10,
  passkeysEnabled: true,
  recoveryCodesEnabled: true,
  maxPasskeysPerUser: 10,
  realisticFaults: false,
  webauthnRpId: null,
  webauthnRpDisplayName: 'Local Supabase',
  webauthnRpOrigins: null,
  webauthnChallengeExpirySeconds: 300,
};

/** Completes `chosen` with the defaults of local development: every feature on, every limit off. */
export function completeAuthSettings(chosen: Partial<AuthSettings> = {}): AuthSettings {
  const frequencySeconds = chosen.rateLimits ? 60 : 0;
  return {
    ...defaults,
    emailMaxFrequencySeconds: frequencySeconds,
    smsMaxFrequencySeconds: frequencySeconds,
    phoneFactorMaxFrequencySeconds: frequencySeconds,
    mailResponseMs: chosen.rateLimits ? 300 : 0,
    ...chosen,
  };
}

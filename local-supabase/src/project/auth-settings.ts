import type { AuthSettings, RateLimits } from '../services/auth/settings.ts';
import { hookNames, type HookSetting, type HookSettings } from '../services/auth/hooks/hook-settings.ts';
import { type AccountChange, accountChanges } from '../services/auth/mail/mail-template.ts';
import type { ConfigReader } from './config-reader.ts';

type Partly<T> = { readonly [K in keyof T]?: T[K] | undefined };

export function present<T extends object>(settings: Partly<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as unknown as Partial<T>;
}

const negated = (value: boolean | undefined): boolean | undefined =>
  value === undefined ? undefined : !value;

/**
 * Reads `[auth]` with two defaults of the vendor's local stack: sign-ups need no confirmation, and anonymous sign-ins
 * are disabled. As there, mail limits apply only with SMTP.
 */
export function readAuthSettings(config: ConfigReader, hasSmtp: boolean): Partial<AuthSettings> {
  return present<AuthSettings>({
    jwtExpirySeconds: config.number('auth.jwt_expiry'),
    disableSignup: negated(config.boolean('auth.enable_signup')),
    anonymousEnabled: config.boolean('auth.enable_anonymous_sign_ins') ?? false,
    manualLinkingEnabled: config.boolean('auth.enable_manual_linking'),
    passwordMinLength: config.number('auth.minimum_password_length'),
    passwordRequiredCharacters: requiredCharacters(config.text('auth.password_requirements')),
    refreshTokenRotation: config.boolean('auth.enable_refresh_token_rotation'),
    refreshTokenReuseIntervalSeconds: config.number('auth.refresh_token_reuse_interval'),
    emailEnabled: readProviderSwitch(config, 'auth.email'),
    mailerAutoconfirm: !(config.boolean('auth.email.enable_confirmations') ?? false),
    secureEmailChange: config.boolean('auth.email.double_confirm_changes'),
    passwordUpdateRequiresReauthentication: config.boolean('auth.email.secure_password_change'),
    passwordUpdateRequiresCurrentPassword: config.boolean('auth.email.require_current_password'),
    emailMaxFrequencySeconds: config.seconds('auth.email.max_frequency'),
    accountChangeMails: readAccountChangeMails(config),
    otpLength: config.number('auth.email.otp_length'),
    emailOtpExpirySeconds: config.number('auth.email.otp_expiry'),
    phoneEnabled: readProviderSwitch(config, 'auth.sms'),
    phoneAutoconfirm: negated(config.boolean('auth.sms.enable_confirmations')),
    smsMaxFrequencySeconds: config.seconds('auth.sms.max_frequency'),
    smsTemplate: config.text('auth.sms.template'),
    smsTestOtp: readTestOtp(config),
    sessionTimeboxSeconds: config.seconds('auth.sessions.timebox'),
    sessionInactivitySeconds: config.seconds('auth.sessions.inactivity_timeout'),
    maxEnrolledFactors: config.number('auth.mfa.max_enrolled_factors'),
    totpEnrollEnabled: config.boolean('auth.mfa.totp.enroll_enabled'),
    totpVerifyEnabled: config.boolean('auth.mfa.totp.verify_enabled'),
    phoneFactorEnrollEnabled: config.boolean('auth.mfa.phone.enroll_enabled'),
    phoneFactorVerifyEnabled: config.boolean('auth.mfa.phone.verify_enabled'),
    phoneFactorTemplate: config.text('auth.mfa.phone.template'),
    phoneFactorOtpLength: config.number('auth.mfa.phone.otp_length'),
    phoneFactorMaxFrequencySeconds: config.seconds('auth.mfa.phone.max_frequency'),
    hooks: readHooks(config),
    externalProviders: readTestProviders(config),
    web3EthereumEnabled: config.boolean('auth.web3.ethereum.enabled'),
    web3SolanaEnabled: config.boolean('auth.web3.solana.enabled'),
    webauthnFactorEnrollEnabled: config.boolean('auth.mfa.web_authn.enroll_enabled'),
    webauthnFactorVerifyEnabled: config.boolean('auth.mfa.web_authn.verify_enabled'),
    passkeysEnabled: config.boolean('auth.passkey.enabled'),
    webauthnRpId: config.text('auth.webauthn.rp_id'),
    webauthnRpDisplayName: config.text('auth.webauthn.rp_display_name'),
    webauthnRpOrigins: config.texts('auth.webauthn.rp_origins'),
    oauthServerEnabled: config.boolean('auth.oauth_server.enabled'),
    oauthDynamicRegistrationEnabled: config.boolean('auth.oauth_server.allow_dynamic_registration'),
    oauthAuthorizationPath: config.text('auth.oauth_server.authorization_url_path'),
    rateLimits: readRateLimits(config, hasSmtp),
  });
}

/** The CLI has called it `enabled` since version 3; the earlier name still has its effect. */
function readProviderSwitch(config: ConfigReader, table: string): boolean | undefined {
  const earlier = config.boolean(`${table}.enable_signup`);
  return config.boolean(`${table}.enabled`) ?? earlier;
}

function readAccountChangeMails(config: ConfigReader): readonly AccountChange[] | undefined {
  if (config.tables('auth.email.notification').length === 0) return undefined;
  return accountChanges.filter(
    (change) => config.boolean(`auth.email.notification.${change}.enabled`) === true,
  );
}

/** The enabled hooks. `secrets` contains keys separated by `|`. */
function readHooks(config: ConfigReader): HookSettings | undefined {
  const hooks = hookNames.flatMap((name): readonly [string, HookSetting][] => {
    const path = `auth.hook.${name}`;
    const uri = config.text(`${path}.uri`) ?? '';
    const secrets = (config.text(`${path}.secrets`) ?? '').split('|').filter((secret) => secret !== '');
    return config.boolean(`${path}.enabled`) === true ? [[name, { uri, secrets }]] : [];
  });
  return hooks.length === 0 ? undefined : Object.fromEntries(hooks);
}

/** The enabled providers, all simulated by the test provider, which needs no client and no secret. */
function readTestProviders(config: ConfigReader): readonly string[] | undefined {
  for (const name of config.tables('auth.external')) {
    for (const key of ['client_id', 'secret', 'redirect_uri', 'url', 'skip_nonce_check'])
      config.touch(`auth.external.${name}.${key}`);
  }
  const names = config.tables('auth.external');
  const enabled = names.filter((name) => config.boolean(`auth.external.${name}.enabled`) === true);
  return names.length === 0 ? undefined : enabled;
}

function readTestOtp(config: ConfigReader): Readonly<Record<string, string>> | undefined {
  const phones = config.keys('auth.sms.test_otp');
  if (phones.length === 0) return undefined;
  return Object.fromEntries(phones.map((phone) => [phone, config.text(`auth.sms.test_otp.${phone}`) ?? '']));
}

function readRateLimits(config: ConfigReader, hasSmtp: boolean): Partial<RateLimits> | undefined {
  const emailSent = config.number('auth.rate_limit.email_sent');
  const limits = present<RateLimits>({
    anonymousUsers: config.number('auth.rate_limit.anonymous_users'),
    tokenRefresh: config.number('auth.rate_limit.token_refresh'),
    otp: config.number('auth.rate_limit.sign_in_sign_ups'),
    verify: config.number('auth.rate_limit.token_verifications'),
    web3: config.number('auth.rate_limit.web3'),
    smsSent: config.number('auth.rate_limit.sms_sent'),
  });
  if (Object.keys(limits).length === 0 && emailSent === undefined) return undefined;
  return { ...limits, emailSent: hasSmtp ? (emailSent ?? 30) : Number.MAX_SAFE_INTEGER };
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
/** The character sets of each value of `password_requirements`. */
const requirements: Readonly<Record<string, readonly string[]>> = {
  '': [],
  letters_digits: [lower + lower.toUpperCase(), digits],
  lower_upper_letters_digits: [lower, lower.toUpperCase(), digits],
  lower_upper_letters_digits_symbols: [
    lower,
    lower.toUpperCase(),
    digits,
    '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~',
  ],
};

function requiredCharacters(name: string | undefined): readonly string[] | undefined {
  if (name === undefined) return undefined;
  const found = Object.hasOwn(requirements, name) ? requirements[name] : undefined;
  if (!found) throw new Error(`supabase/config.toml: unknown password_requirements "${name}"`);
  return found;
}

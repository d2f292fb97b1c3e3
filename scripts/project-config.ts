import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import type { AuthSettings } from '../local-supabase/auth/settings.ts';

const CONFIG = new URL('../supabase/config.toml', import.meta.url);

/**
 * How `supabase/config.toml` configures authentication, as settings of the embedded server: so that development
 * behaves as the project does to which that file is pushed. Rate limits are not among them: they would only be in
 * the way of the one person who develops.
 *
 * @throws {Error} that names the key, for a value of another type than the vendor's CLI takes.
 */
export function readAuthSettings(text: string = readFileSync(CONFIG, 'utf8')): Partial<AuthSettings> {
  const config = parse(text);
  const at = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], config);
  const read = <T extends 'boolean' | 'number' | 'string'>(path: string, type: T): Scalar<T> | undefined => {
    const value = at(path);
    if (value === undefined) return undefined;
    if (typeof value !== type) throw new Error(`supabase/config.toml: ${path} must be a ${type}`);
    return value as Scalar<T>;
  };
  const negated = (value: boolean | undefined) => (value === undefined ? undefined : !value);
  return present({
    jwtExpirySeconds: read('auth.jwt_expiry', 'number'),
    disableSignup: negated(read('auth.enable_signup', 'boolean')),
    anonymousEnabled: read('auth.enable_anonymous_sign_ins', 'boolean'),
    manualLinkingEnabled: read('auth.enable_manual_linking', 'boolean'),
    passwordMinLength: read('auth.minimum_password_length', 'number'),
    passwordRequiredCharacters: requiredCharacters(read('auth.password_requirements', 'string')),
    refreshTokenRotation: read('auth.enable_refresh_token_rotation', 'boolean'),
    refreshTokenReuseIntervalSeconds: read('auth.refresh_token_reuse_interval', 'number'),
    emailEnabled: read('auth.email.enable_signup', 'boolean'),
    mailerAutoconfirm: negated(read('auth.email.enable_confirmations', 'boolean')),
    secureEmailChange: read('auth.email.double_confirm_changes', 'boolean'),
    passwordUpdateRequiresReauthentication: read('auth.email.secure_password_change', 'boolean'),
    emailMaxFrequencySeconds: seconds(read('auth.email.max_frequency', 'string')),
    otpLength: read('auth.email.otp_length', 'number'),
    emailOtpExpirySeconds: read('auth.email.otp_expiry', 'number'),
    phoneEnabled: read('auth.sms.enable_signup', 'boolean'),
    phoneAutoconfirm: negated(read('auth.sms.enable_confirmations', 'boolean')),
    maxEnrolledFactors: read('auth.mfa.max_enrolled_factors', 'number'),
    totpEnrollEnabled: read('auth.mfa.totp.enroll_enabled', 'boolean'),
    totpVerifyEnabled: read('auth.mfa.totp.verify_enabled', 'boolean'),
  });
}

type Scalar<T> = T extends 'boolean' ? boolean : T extends 'number' ? number : string;

function present(settings: {
  readonly [K in keyof AuthSettings]?: AuthSettings[K] | undefined;
}): Partial<AuthSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** A duration as Go writes it: `1m30s`. */
function seconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.map(([part]) => part).join('') !== duration || duration === '') {
    throw new Error(`supabase/config.toml: "${duration}" is no duration such as "60s"`);
  }
  const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
/** What the names of `password_requirements` stand for. */
const REQUIREMENTS: Readonly<Record<string, readonly string[]>> = {
  '': [],
  letters_digits: [LOWER + LOWER.toUpperCase(), DIGITS],
  lower_upper_letters_digits: [LOWER, LOWER.toUpperCase(), DIGITS],
  lower_upper_letters_digits_symbols: [
    LOWER,
    LOWER.toUpperCase(),
    DIGITS,
    '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~',
  ],
};

function requiredCharacters(name: string | undefined): readonly string[] | undefined {
  if (name === undefined) return undefined;
  const found = REQUIREMENTS[name];
  if (!found) throw new Error(`supabase/config.toml: there are no password_requirements "${name}"`);
  return found;
}

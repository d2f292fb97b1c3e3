import { at, type Wire, type WireResponse } from './wire.ts';

/** Refusals caused by limits or switches that /settings does not contain. */
const hiddenSettings: ReadonlySet<string> = new Set([
  'captcha_failed',
  'current_password_required',
  'manual_linking_disabled',
  'mfa_phone_enroll_not_enabled',
  'mfa_phone_verify_not_enabled',
  'mfa_totp_enroll_not_enabled',
  'mfa_totp_verify_not_enabled',
  'mfa_webauthn_enroll_not_enabled',
  'mfa_webauthn_verify_not_enabled',
  'over_custom_provider_quota',
  'over_email_send_rate_limit',
  'over_request_rate_limit',
  'over_sms_send_rate_limit',
  'reauthentication_needed',
  'weak_password',
  'web3_provider_disabled',
]);

/** Refusals caused by a setting in GET /settings, with the value that causes them. */
const shownSettings: Readonly<Record<string, readonly (readonly [readonly string[], boolean])[]>> = {
  signup_disabled: [[['disable_signup'], true]],
  user_already_exists: [
    [['mailer_autoconfirm'], true],
    [['phone_autoconfirm'], true],
  ],
  email_provider_disabled: [[['external', 'email'], false]],
  phone_provider_disabled: [[['external', 'phone'], false]],
  anonymous_provider_disabled: [[['external', 'anonymous_users'], false]],
  provider_disabled: [
    [['external', 'google'], false],
    [['external', 'apple'], false],
  ],
  saml_provider_disabled: [[['saml_enabled'], false]],
  passkey_disabled: [[['passkeys_enabled'], false]],
};

/** Codes that refuse a feature as a whole, such as a captcha: the same audit's later failure is not the server's fault. */
const gates: ReadonlySet<string> = new Set([
  'captcha_failed',
  'current_password_required',
  'email_provider_disabled',
  'over_email_send_rate_limit',
  'over_request_rate_limit',
  'over_sms_send_rate_limit',
  'passkey_disabled',
  'reauthentication_needed',
  'signup_disabled',
]);

/** The auth server's settings that audits depend on. */
export interface TargetSettings {
  /** The setting that explains an unexpected refusal, or undefined. */
  explain(response: WireResponse): string | undefined;
  /** The setting that explains the first of these codes that refuses a feature as a whole, or undefined. */
  explainGate(codes: readonly string[]): string | undefined;
  /** Whether a new address is confirmed without a mail. */
  readonly isEmailAutoconfirmed: boolean;
  /** Whether a new phone number is confirmed with an SMS code: phone sign-ups are enabled and not confirmed automatically. */
  readonly confirmsPhones: boolean;
}

/** Reads GET /settings; a server without this route counts as having every feature. */
export async function readTargetSettings(auth: Wire): Promise<TargetSettings> {
  const settings = await auth.send('GET', '/settings').then(
    ({ json }) => json,
    () => undefined,
  );
  const explainByShown = (code: string): string | undefined => {
    const shown = Object.hasOwn(shownSettings, code) ? (shownSettings[code] ?? []) : [];
    const [path] = shown.find(([steps, value]) => at(settings, ...steps) === value) ?? [];
    return path && `${path.join('.')} (${code})`;
  };
  return {
    isEmailAutoconfirmed: at(settings, 'mailer_autoconfirm') === true,
    confirmsPhones: at(settings, 'external', 'phone') !== false && at(settings, 'phone_autoconfirm') !== true,
    explain(response) {
      // Without the version header, `code` is the number of the status.
      const code = at(response.json, 'error_code') ?? at(response.json, 'code');
      if (typeof code !== 'string') return undefined;
      return hiddenSettings.has(code) ? code : explainByShown(code);
    },
    explainGate(codes) {
      return codes
        .filter((code) => gates.has(code))
        .map((code) => (Object.hasOwn(shownSettings, code) ? explainByShown(code) : code))
        .find((setting) => setting !== undefined);
    },
  };
}

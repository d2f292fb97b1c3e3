import { at, type Wire, type WireReply } from './wire.ts';

/** Refusals that limits or switches cause which /settings does not show. */
const hiddenSettings: ReadonlySet<string> = new Set([
  'captcha_failed',
  'current_password_required',
  'manual_linking_disabled',
  'mfa_phone_enroll_not_enabled',
  'mfa_phone_verify_not_enabled',
  'mfa_totp_enroll_not_enabled',
  'mfa_totp_verify_not_enabled',
  'over_email_send_rate_limit',
  'over_request_rate_limit',
  'over_sms_send_rate_limit',
  'reauthentication_needed',
  'weak_password',
  'web3_provider_disabled',
]);

/** Refusals that a setting causes which GET /settings shows, and its value then. */
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
};

/** The auth server's settings, as far as audits depend on them. */
export interface TargetSettings {
  /** The setting that explains an unexpected refusal; undefined where none does. */
  explain(reply: WireReply): string | undefined;
  /** Whether sign-ups by email are confirmed without a mail. */
  readonly isEmailAutoconfirmed: boolean;
}

/** Reads GET /settings; a server that has none is taken to have every feature. */
export async function readTargetSettings(auth: Wire): Promise<TargetSettings> {
  const settings = await auth.send('GET', '/settings').then(
    ({ json }) => json,
    () => undefined,
  );
  return {
    isEmailAutoconfirmed: at(settings, 'mailer_autoconfirm') === true,
    explain(reply) {
      const named = at(reply.json, 'code') ?? at(reply.json, 'error_code');
      const code = typeof named === 'string' ? named : '';
      if (hiddenSettings.has(code)) return code;
      const shown = Object.hasOwn(shownSettings, code) ? (shownSettings[code] ?? []) : [];
      const [path] = shown.find(([steps, value]) => at(settings, ...steps) === value) ?? [];
      return path && `${path.join('.')} (${code})`;
    },
  };
}

import type { CredentialTexts } from './credential-texts.ts';

/** Each check returns an error text or `undefined`. The server validates again. */
export function checkEmail(email: string, texts: CredentialTexts): string | undefined {
  if (email.trim() === '') return texts.emailMissing;
  // Permissive on purpose: rejecting a valid address locks its owner out.
  return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email.trim()) ? undefined : texts.emailMalformed;
}

export function checkPassword(password: string, texts: CredentialTexts): string | undefined {
  return password === '' ? texts.passwordMissing : undefined;
}

/** As `minimum_password_length` in supabase/config.toml. */
export const minPasswordLength = 8;

/** bcrypt reads 72 bytes; the server refuses more. */
export function checkNewPassword(password: string, texts: CredentialTexts): string | undefined {
  if (password === '') return texts.newPasswordMissing;
  if (password.length < minPasswordLength) return texts.passwordTooShort;
  return new TextEncoder().encode(password).length > 72 ? texts.passwordTooLong : undefined;
}

/** As `otp_length` in supabase/config.toml. */
export const emailCodeLength = 8;
/** Digits of a code of an authenticator app (RFC 6238). */
export const authenticatorCodeLength = 6;

/** @param digits the usual length, for the text alone: another project may send codes of 6 to 10 digits. */
export function checkCode(
  code: string,
  texts: CredentialTexts,
  digits = emailCodeLength,
): string | undefined {
  if (code.trim() === '') return texts.codeMissing;
  return /^\d{6,10}$/.test(compactCode(code)) ? undefined : texts.codeMalformed(digits);
}

/** The code without spaces and dashes between its digits. */
export function compactCode(code: string): string {
  return code.replace(/[\s-]/g, '');
}

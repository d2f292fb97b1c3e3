import type { CredentialTexts } from './credential-texts.en.ts';

/** Each returns what is wrong with a value, or `undefined`. The server has the last word on all of them. */
export function checkEmail(email: string, texts: CredentialTexts): string | undefined {
  if (email.trim() === '') return texts.emailMissing;
  // Loose on purpose: a false alarm locks a person out, a slip is caught by the mail that does not arrive.
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

export function checkCode(code: string, texts: CredentialTexts): string | undefined {
  if (code.trim() === '') return texts.codeMissing;
  return /^\d{6,10}$/.test(compactCode(code)) ? undefined : texts.codeMalformed;
}

/** Without the spaces and dashes that people and mail programs put between digits. */
export function compactCode(code: string): string {
  return code.replace(/[\s-]/g, '');
}

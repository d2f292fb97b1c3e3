import { compare, getRounds, hash } from 'bcryptjs';

import { utf8Length } from '../../../platform/bytes.ts';
import { createSecret } from '../../../platform/random.ts';
import { internal, invalid, WeakPasswordError } from '../http/errors.ts';
import type { AuthSettings } from '../settings.ts';
import { hasPassword, type UserRow } from './user.ts';

const maxBytes = 72;

/** Checks a password against the project's rules. Throws WeakPasswordError, or 400 above 72 bytes. */
export function checkPasswordStrength(settings: AuthSettings, password: string): void {
  if (utf8Length(password) > maxBytes) throw invalid(`Password cannot be longer than ${maxBytes} characters`);
  const weaknesses: { reason: string; message: string }[] = [];
  const { passwordMinLength, passwordRequiredCharacters, pwnedPasswords } = settings;
  if (utf8Length(password) < passwordMinLength)
    weaknesses.push({
      reason: 'length',
      message: `Password should be at least ${passwordMinLength} characters.`,
    });
  if (
    passwordRequiredCharacters.some(
      (set) => set !== '' && !Array.from(set).some((char) => password.includes(char)),
    )
  )
    weaknesses.push({
      reason: 'characters',
      message: `Password should contain at least one character of each: ${passwordRequiredCharacters.join(', ')}.`,
    });
  if (pwnedPasswords.includes(password))
    weaknesses.push({
      reason: 'pwned',
      message: 'Password is known to be weak and easy to guess, please choose a different one.',
    });
  if (weaknesses.length > 0)
    throw new WeakPasswordError(
      weaknesses.map(({ message }) => message).join(' '),
      weaknesses.map(({ reason }) => reason),
    );
}

/** Hashes with bcrypt; pgcrypto's crypt() reads the result. Throws 500 above 72 bytes, as Go's bcrypt does. */
export async function hashPassword(settings: AuthSettings, password: string): Promise<string> {
  if (utf8Length(password) > maxBytes) throw internal('Internal Server Error');
  return hash(password, settings.bcryptCost);
}

export const isPasswordHash = (text: string): boolean => getRounds(text) > 0 && text.length === 60;

/** Compares in constant time with the user's bcrypt hash; hashes of pgcrypto work too. */
export async function isPasswordOf(user: UserRow, password: string): Promise<boolean> {
  return hasPassword(user) && compare(password, user.encrypted_password ?? '');
}

/** A random password for users who sign up with a code or a link. */
export const createPassword = (): string => `${createSecret(24)}aA1!`;

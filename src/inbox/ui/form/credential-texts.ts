import { defineTexts, type Translation } from '../texts.ts';

const english = {
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  capsLock: 'Caps Lock is on.',
  emailMissing: 'Enter your email address.',
  emailMalformed: 'That doesn’t look like an email address. Example: ada@example.com',
  passwordMissing: 'Enter your password.',
  newPasswordMissing: 'Choose a password.',
  passwordTooShort: 'Use at least 8 characters.',
  passwordTooLong: 'Use at most 72 characters.',
  passwordTooCommon: 'This password is too easy to guess. Add another word or two.',
  codeMissing: 'Enter the code.',
  codeMalformed: (digits: number) => `Enter the ${digits}-digit code.`,
  slow: 'Still working on it. Your connection seems slow.',
  strength: {
    label: 'Strength',
    levels: ['very weak', 'weak', 'fair', 'good', 'strong'] as readonly string[],
    hint: 'A few unrelated words make a good password.',
  },
};

export type CredentialTexts = Translation<typeof english>;

/** The texts of the fields for addresses, passwords and codes. */
export const credentialTexts = defineTexts<CredentialTexts>(
  english,
  () => import('./credential-texts.de.ts'),
);

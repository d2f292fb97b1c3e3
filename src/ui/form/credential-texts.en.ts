export const texts = {
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  capsLock: 'Caps lock is on.',
  emailMissing: 'Enter your e-mail address.',
  emailMalformed: 'This does not look like an e-mail address. Example: ada@example.com',
  passwordMissing: 'Enter your password.',
  newPasswordMissing: 'Choose a password.',
  passwordTooShort: 'Use at least 8 characters.',
  passwordTooLong: 'Use at most 72 characters.',
  codeMissing: 'Enter the code from the mail.',
  codeMalformed: 'The code consists of 6 digits or more.',
  strength: {
    label: 'Strength',
    levels: ['very weak', 'weak', 'fair', 'good', 'strong'] as readonly string[],
    hint: 'Longer is stronger: a few unrelated words make a good password.',
  },
};

export type CredentialTexts = typeof texts;

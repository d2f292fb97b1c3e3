/** The texts of the section “Passkeys”, loaded with it. */
export const texts = {
  title: 'Passkeys',
  intro:
    'Sign in with your fingerprint, your face or your screen lock, without a password. A passkey works only on this site, so a fake site can’t steal it.',
  stillTwoSteps: 'You’ll still enter your two-step code after signing in with a passkey.',
  none: 'You have no passkeys yet.',
  loadFailed: 'Couldn’t load your passkeys.',
  unnamed: 'Passkey',
  added: (date: string) => `Added ${date}`,
  lastUsed: (date: string) => `last used ${date}`,
  neverUsed: 'not used yet',
  add: 'Add a passkey',
  hasAdded: (name: string) => `“${name}” is added. You can sign in with it from now on.`,
  unsupported: 'This browser doesn’t support passkeys. Add one from another browser or device.',
  rename: 'Rename',
  renameTitle: 'Rename passkey',
  name: 'Name',
  nameHint: 'Such as the device or the password manager that keeps it.',
  nameMissing: 'Enter a name.',
  nameTooLong: 'Use a shorter name.',
  renamed: (name: string) => `The passkey is now called “${name}”.`,
  removeTitle: (name: string) => `Remove “${name}”?`,
  removeText:
    'You won’t be able to sign in with it anymore. Your device or password manager still lists it until you delete it there, too.',
  removed: (name: string) => `“${name}” is removed.`,
  gone: 'This passkey was removed in the meantime.',
};

export type PasskeyTexts = typeof texts;

/** The texts that stand on the page at once. */
export const texts = {
  title: 'Account',
  sections: 'Account sections',
  loadFailed: 'Couldn’t load your account.',
  retry: 'Try again',
  save: 'Save',
  saved: 'Saved.',
  cancel: 'Cancel',
  close: 'Close',
  remove: 'Remove',

  profile: 'Profile',
  name: 'Name',
  nameHint: 'Others see it in their notifications.',
  nameTooLong: 'Use at most 80 characters.',

  email: 'Email',
  currentEmail: (email: string) => `Your address is ${email}.`,
  newEmail: 'New email address',
  sameEmail: 'That’s already your address.',
  changeEmail: 'Change address',
  halfConfirmed: 'Step 1 of 2 done. Now confirm from the other mailbox.',
  emailChanged: (email: string) => `Your address is now ${email}.`,

  password: 'Password',
  newPassword: 'New password',
  currentPassword: 'Current password',
  currentPasswordMissing: 'Enter your current password.',
  changePassword: 'Change password',
  passwordChanged: 'Your password is changed. Other devices stay signed in until you sign them out below.',
  reauthenticate: (email: string) =>
    `You signed in a while ago. To confirm it’s you, enter the code that we sent to ${email}.`,

  mfa: 'Two-step sign-in',
  mfaIntro: 'After your password or passkey, you also enter a code from an app on your phone.',
  mfaNone: 'Off. Only your password protects your account.',
  mfaOn: 'On.',
  mfaAdd: 'Add an authenticator app',
  mfaAdded: (name: string) => `Two-step sign-in is on. You’ll need a code from “${name}”.`,
  mfaUnnamed: 'Authenticator app',
  mfaUnfinished: 'setup not finished',
  mfaPhone: 'Text message',
  mfaPasskey: 'Security key',
  mfaRemoved: (name: string) => `“${name}” is removed.`,
  mfaRecovery:
    'If you lose this one, a recovery code or a second app gets you in. Without either you can’t sign in, and we can’t let you in either.',

  identities: 'Ways to sign in',
  identityEmail: 'Email and password',
  unlink: 'Unlink',
  unlinkName: (name: string) => `Unlink ${name}`,
  unlinkTitle: (name: string) => `Unlink ${name}?`,
  unlinkText: 'You won’t be able to sign in with it anymore.',
  unlinked: (name: string) => `${name} is unlinked.`,
  onlyIdentity: 'You need at least one of these, so this one can’t be removed.',
  link: (name: string) => `Link ${name}`,

  passkeys: 'Passkeys',

  sessions: 'Devices',
  sessionsIntro: 'Lost a device, or used a public one? Sign it out from here.',
  signOutHere: 'Sign out here',
  signOutOthers: 'Sign out all other devices',
  signOutEverywhere: 'Sign out everywhere',
  data: 'Your data',
  othersSignedOut: 'All other devices are signed out.',
  everywhereTitle: 'Sign out everywhere?',
  everywhereText: 'You’ll be signed out on this device and on all others.',
};

export type AccountTexts = typeof texts;

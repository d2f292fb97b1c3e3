import { defineTexts, type Translation } from '../../ui/texts.ts';

const english = {
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
  mfaIntro: 'After your password, you also enter a code from an app on your phone.',
  mfaNone: 'Off. Only your password protects your account.',
  mfaOn: 'On.',
  mfaAdd: 'Add an authenticator app',
  mfaAdded: (name: string) => `Two-step sign-in is on. You’ll need a code from “${name}”.`,
  mfaUnnamed: 'Authenticator app',
  mfaUnfinished: 'setup not finished',
  mfaPhone: 'Text message',
  mfaPasskey: 'Security key',
  removed: (name: string) => `“${name}” is removed.`,
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

  emailPending: (current: string, next: string) =>
    `To change your address from ${current} to ${next}, confirm in both mailboxes: open the links in the two emails, or enter their codes here.`,
  emailPendingOne: (next: string) =>
    `To change your address to ${next}, open the link in the email, or enter its code here.`,
  codeSentTo: (email: string) => `Code sent to ${email}`,
  confirm: 'Confirm',
  resendMails: 'Send the emails again',
  mailsSent: 'The emails are on their way again.',
  otherEmail: 'Use another address',

  reauthenticationCode: 'Code from the email',
  sendCode: 'Send a new code',
  codeSent: 'A new code is on its way.',

  devicesFailed: 'Couldn’t load your devices.',
  deviceName: (browser: string, system: string) => `${browser} on ${system}`,
  deviceUnknown: 'Unknown device',
  deviceHere: 'This device',
  deviceUsed: (when: string) => `Last active ${when}`,
  deviceEnd: 'Sign out',
  deviceEndName: (name: string) => `Sign out: ${name}`,
  deviceEnded: (name: string) => `${name} is signed out.`,
  deviceEndFailed: 'Couldn’t sign out this device. Try again.',

  dataIntro: 'Download all of your data, or delete your account.',
  export: 'Download my data',
  exportDone: 'Your data is in your downloads.',
  exportFailed: 'Couldn’t download your data. Try again.',
  delete: 'Delete my account',
  deleteTitle: 'Delete your account?',
  deleteText:
    'Your account, your notifications and your preferences are deleted right away, and you’re signed out everywhere. This can’t be undone.',
  deleteFailed: 'Couldn’t delete your account. Nothing was changed.',
  deleteHasFiles: 'Delete your files first, then your account.',
  deleteNeedsProof:
    'You added a new way to sign in within the last day. Sign out, sign in with your password or an emailed code, then delete your account.',

  proof: {
    title: 'Confirm that it’s you',
    reason: (purpose: string) => `Your last sign-in was a while ago. To ${purpose}, confirm that it’s you.`,
    purposes: {
      email: 'change your email address',
      factors: 'change two-step sign-in',
      codes: 'create recovery codes',
      identities: 'change your ways to sign in',
      passkeys: 'change your passkeys',
      deletion: 'delete your account',
    },
    account: (email: string) => `Signed in as ${email}`,
    wrongPassword: 'That isn’t the password of this account.',
    byMail: 'Email me a code instead',
    byPasskey: 'Use a passkey',
    foreignPasskey: 'That passkey belongs to another account. Choose one of this account.',
    send: (email: string) => `Email a code to ${email}`,
  },

  mfaName: 'Name of the device',
  mfaNameHint: 'So that you can tell your authenticators apart.',
  mfaNameMissing: 'Give it a name.',
  mfaNameTaken: 'Another authenticator has this name.',
  mfaDefaultName: 'Phone',
  mfaScan: 'Scan this with your authenticator app',
  mfaOpen: 'Open in the app on this device',
  mfaQr: 'QR code for your authenticator app. The key holds the same.',
  mfaSecret: 'Can’t scan it? Type a key into the app',
  mfaCopy: 'Copy the key',
  mfaCopied: 'The key is copied.',
  mfaCopyRefused: 'Couldn’t copy the key. It’s selected, so you can copy it yourself.',
  mfaCode: 'Code from the app',
  mfaVerify: 'Turn on',

  removeTitle: (name: string) => `Remove “${name}”?`,
  mfaRemoveText: 'Codes from this app won’t open your account anymore.',
  mfaRemoveLast: 'It’s your last one. Only your password will protect your account.',

  passkey: {
    intro:
      'Sign in with your fingerprint, your face or your screen lock, without a password. A passkey works only on this site, so a fake site can’t steal it, and it needs no two-step code.',
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
    nameHint: 'Such as the device or the password manager that keeps it.',
    nameMissing: 'Enter a name.',
    nameTooLong: 'Use a shorter name.',
    renamed: (name: string) => `The passkey is now called “${name}”.`,
    removeText:
      'You won’t be able to sign in with it anymore. Your device or password manager still lists it until you delete it there, too.',
    gone: 'This passkey was removed in the meantime.',
  },

  recoveryCodes: {
    title: 'Recovery codes',
    none: 'You have no recovery codes. If you lose your authenticator, you’re locked out of your account.',
    left: (unused: number, date: string) =>
      unused === 1
        ? `1 code left of those created on ${date}.`
        : `${unused} codes left of those created on ${date}.`,
    noneLeft: 'You’ve used all of your recovery codes. Create new ones.',
    loadFailed: 'Couldn’t load your recovery codes.',
    create: 'Create recovery codes',
    replace: 'Create new codes',
    replaceTitle: 'Create new recovery codes?',
    replaceText: 'The codes that you have stop working right away.',
    createFailed: 'Couldn’t create recovery codes. Try again.',
    keep: 'If you lose your authenticator, each of these codes signs you in once in its place. Two-step sign-in stays on. Keep them where you keep your passwords. They’re shown only now.',
    spare: 'Even better: add a second authenticator app on another device, too.',
    copy: 'Copy',
    copied: 'The codes are copied.',
    copyRefused: 'Couldn’t copy the codes. They’re selected, so you can copy them yourself.',
    download: 'Download',
    print: 'Print',
    done: 'I’ve saved my codes',
    account: (email: string, date: string) => `For ${email}, created on ${date}`,
  },
};

export type AccountTexts = Translation<typeof english>;

export const accountTexts = defineTexts<AccountTexts>(english, () => import('./account-texts.de.ts'));

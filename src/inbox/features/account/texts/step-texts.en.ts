/** The texts of the steps that are not on the page at first; loaded with the code of those steps. */
export const texts = {
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

  proofTitle: 'Confirm that it’s you',
  proofByMail: 'Email me a code instead',
  proofSend: (email: string) => `Email a code to ${email}`,

  mfaName: 'Name of the device',
  mfaNameHint: 'So that you can tell your authenticators apart.',
  mfaNameMissing: 'Give it a name.',
  mfaDefaultName: 'Phone',
  mfaStart: 'Continue',
  mfaScan: 'Scan this with your authenticator app.',
  mfaQr: 'QR code for your authenticator app. The key below holds the same.',
  mfaSecret: 'Or type this key into the app:',
  mfaCopy: 'Copy the key',
  mfaCopied: 'The key is copied.',
  mfaCopyRefused: 'Couldn’t copy the key. It’s selected, so you can copy it yourself.',
  mfaCode: 'Code that the app shows now',
  mfaVerify: 'Turn on',

  mfaRemoveTitle: (name: string) => `Remove “${name}”?`,
  mfaRemoveText: 'Codes from this app won’t open your account anymore.',
  mfaRemoveLast: 'It’s your last one. Only your password will protect your account.',
};

export type StepTexts = typeof texts;

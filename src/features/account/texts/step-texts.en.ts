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

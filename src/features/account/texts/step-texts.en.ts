/** For the steps that are not on the page at first: they come with the code of those. */
export const texts = {
  emailPending: (current: string, next: string) =>
    `To change your address from ${current} to ${next}, confirm it in both mailboxes: by the links in the two mails, or by their codes here.`,
  emailPendingOne: (next: string) =>
    `To change your address to ${next}, confirm it by the link in the mail, or by its code here.`,
  codeSentTo: (email: string) => `Code sent to ${email}`,
  confirm: 'Confirm',
  resendMails: 'Send the mails again',
  mailsSent: 'We have sent the mails again.',
  otherEmail: 'Use another address',

  reauthenticationCode: 'Code from the mail',
  sendCode: 'Send a new code',
  codeSent: 'We have sent a new code.',

  mfaName: 'Name of the device',
  mfaNameHint: 'So that you can tell your authenticators apart.',
  mfaNameMissing: 'Give it a name.',
  mfaDefaultName: 'Phone',
  mfaStart: 'Continue',
  mfaScan: 'Scan this with your authenticator app.',
  mfaQr: 'QR code for your authenticator app; the key below says the same.',
  mfaSecret: 'Or type this key into the app:',
  mfaCopy: 'Copy the key',
  mfaCopied: 'The key is copied.',
  mfaCopyRefused: 'The key could not be copied. It is selected: copy it by hand.',
  mfaCode: 'Code that the app shows now',
  mfaVerify: 'Switch on',

  mfaRemoveTitle: (name: string) => `Remove ${name}?`,
  mfaRemoveText: 'Codes of this app will not open your account any more.',
  mfaRemoveLast: 'It is your last one: your password alone will open your account.',
};

export type StepTexts = typeof texts;

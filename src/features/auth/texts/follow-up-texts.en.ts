/** For what follows the first screens, or stands on them only sometimes. */
export const texts = {
  newPassword: 'New password',
  passwordInstead: 'Use my password instead',
  sendCode: 'Send the mail',
  sendFresh: 'Send a fresh mail',
  or: 'or',
  continueWith: (provider: string) => `Continue with ${provider}`,
  checkMail: 'Check your e-mail',
  mailSent: {
    new: (email: string) =>
      `If ${email} is new here, a mail is on its way. Open the link in it in this browser, or enter its code here.`,
    signup: (email: string) =>
      `We have sent a mail to ${email}. Open the link in it in this browser, or enter its code here.`,
    magiclink: (email: string) =>
      `If there is an account for ${email}, a mail is on its way. Open the link in it in this browser, or enter its code here.`,
    recovery: (email: string) =>
      `If there is an account for ${email}, a mail is on its way. Open the link in it in this browser, or enter its code here.`,
  },
  freshSent: (email: string) =>
    `If there is an account for ${email}, a fresh mail is on its way. Leave its link alone and enter its code here.`,
  code: 'Code from the mail',
  confirm: 'Confirm',
  resend: 'Send it again',
  resent: 'We have sent another mail.',
  haveAccount: 'I have an account: sign in',
  otherAddress: 'Use another address',
  spamHint: 'Nothing there? Look into the folder for spam too.',
  resetTitle: 'Reset your password',
  resetIntro: 'Enter the address of your account. We send you a link and a code to set a new password.',
  resetSend: 'Send the mail',
  newPasswordTitle: 'Set a new password',
  newPasswordIntro: (email: string) => `For the account ${email}.`,
  savePassword: 'Save the password',
  passwordSaved: 'Your new password is saved.',
  signOutEverywhere: 'Sign out all other devices',
  othersSignedOut: 'All other devices are signed out.',
  goOn: 'Go to your inbox',
  backToSignIn: 'Back to sign-in',
  mfaTitle: 'One more step',
  mfaIntro: 'Enter the code that your authenticator app shows for this account.',
  mfaFactor: 'Second factor',
  mfaUnnamed: 'Authenticator app',
  mfaCode: 'Code from the app',
  mfaUnknown:
    'This account asks for a second factor that this page does not know. Use the device on which you set it up.',
  mfaPhone: 'Phone',
  mfaPhoneIntro: 'We send a message with a code to the phone that you have set up for this account.',
  mfaPhoneSend: 'Send me a code',
  mfaPhoneSent: 'A message is on its way to your phone.',
  mfaPhoneCode: 'Code from the message',
  mfaOtherAccount: 'Sign in with another account',
  linkExpired: 'This link is used or too old',
  linkExpiredText:
    'Links work once and for a limited time; some mail programs open them before you do. The code of that mail is used up too. Ask for a fresh mail and enter its code here.',
  linkMayBeConfirmed:
    'You were confirming a new account? It may be confirmed by now: try to sign in with your password.',
  linkElsewhere: 'This link was requested elsewhere',
  linkElsewhereText:
    'For your safety a link works only in the browser that asked for it, and the code of that mail is used up too. Ask for a fresh mail and enter its code here.',
  linkFailed: 'The sign-in did not succeed',
  captcha: 'Check that you are human',
  captchaMissing: 'Please confirm that you are human.',
  captchaFailed: 'The check could not be loaded. Allow it in your browser, or load the page anew.',
  signupClosed: 'New accounts are not accepted at the moment.',
};

export type FollowUpTexts = typeof texts;

import { defineTexts, type Translation } from '../../ui/texts.ts';

const english = {
  signIn: 'Sign in',
  signUp: 'Create account',
  purpose: 'Mentions, comments, edits and invites from everything you work on, in one quiet inbox.',
  email: 'Email',
  password: 'Password',
  name: 'Name (optional)',
  nameHint: 'So that others know who invited or mentioned them.',
  forgotPassword: 'Forgot your password?',
  newHere: 'New here?',
  haveAccount: 'Already have an account?',
  codeInstead: 'Email me a code instead',
  clearCookies: 'Trouble signing in? Clear cookies',
  codeTitle: 'Sign in by email',
  codeIntro: 'We’ll email you a link and a code. Either one signs you in, no password needed.',
  accountDeleted: 'Your account and its data were deleted.',
  waysFailed: 'Couldn’t load the other ways to sign in.',
  retry: 'Try again',
  cookiesBlocked:
    'This browser keeps no cookies for this site: you’ll be signed out when you reload or close the page.',
  sessionEnded: 'You were signed out. Sign in to continue.',
  changesKept: 'You were signed out. Sign in to send the changes that are kept on this device.',
  draftKept: 'You were signed out while your changes were being saved. Sign in to check them.',
  localSignOutFailed:
    'You’re signed out on this device, but we couldn’t tell the server. The session will end there later.',
  signOutFailed:
    'Other devices may still be signed in: the server couldn’t end their sessions. Sign in and try again.',
  offline: 'You’re offline. You can fill this in, but not send it.',
  passwordInstead: 'Use my password instead',
  sendCode: 'Email me a code',
  sendFresh: 'Send a new email',
  or: 'or',
  passkey: 'Sign in with a passkey',
  passkeyLimit:
    'Too many passkey sign-ins from your network. Wait five minutes, or sign in with your password or an emailed code.',
  continueWith: (provider: string) => `Continue with ${provider}`,

  checkMail: 'Check your email',
  mailSent: {
    new: (email: string) =>
      `If ${email} is new here, we’ve sent it an email. Open the link in it, or enter its code here.`,
    signup: (email: string) =>
      `Before you can sign in, confirm that ${email} is yours. Open the link in our email, or enter its code here.`,
    magiclink: (email: string) =>
      `If there’s an account for ${email}, we’ve sent it an email. Open the link in it, or enter its code here.`,
    recovery: (email: string) =>
      `If there’s an account for ${email}, we’ve sent it an email. Open the link in it, or enter its code here.`,
  },
  freshSent: (email: string) =>
    `If there’s an account for ${email}, a new email is on its way. Open the link in it, or enter its code here.`,
  code: 'Code from the email',
  confirm: 'Confirm',
  resend: 'Send it again',
  resent: {
    signup: 'If this address still needs confirming, a new email is on its way.',
    magiclink: 'If there’s an account for this address, a new email is on its way.',
    recovery: 'If there’s an account for this address, a new email is on its way.',
  },
  alreadyHaveAccount: 'Already confirmed? Sign in',
  otherAddress: 'Use another address',
  spamHint: 'Nothing there? Check your spam folder.',

  resetTitle: 'Reset your password',
  resetIntro:
    'Enter the email address of your account. We’ll send you a link and a code to set a new password.',
  newPassword: 'New password',
  newPasswordTitle: 'Set a new password',
  newPasswordIntro: (email: string) => `For the account ${email}.`,
  savePassword: 'Save password',
  passwordSaved: 'Your new password is saved',
  signOutEverywhere: 'Sign out all other devices',
  othersSignedOut: 'All other devices are signed out.',
  goOn: 'Go to your inbox',
  backToSignIn: 'Back to sign-in',

  mfaTitle: 'Enter your two‑step code',
  mfaIntro: (email: string) =>
    `Open your authenticator app and enter the six digits that it shows for ${email}.`,
  mfaFactor: 'Second factor',
  mfaUnnamed: 'Authenticator app',
  mfaCode: 'Code from the app',
  mfaUnknown:
    'This account needs a second factor that this page doesn’t support. Use the device where you set it up.',
  mfaPhone: 'Phone',
  mfaPhoneIntro: 'We’ll text a code to the phone that you set up for this account.',
  mfaPhoneSend: 'Text me a code',
  mfaPhoneSent: 'A text message is on its way to your phone.',
  mfaPhoneCode: 'Code from the text message',
  mfaLost: 'Lost your authenticator?',
  mfaRecoveryTitle: 'Use a recovery code',
  mfaRecoveryIntro: 'Enter one of the codes that you saved when you turned on two-step sign-in.',
  mfaBack: 'Back to the code from the app',
  mfaOtherAccount: 'Sign in with another account',

  linkTitle: {
    signup: 'Confirm your email address',
    invite: 'Accept your invitation',
    magiclink: 'Sign in',
    email: 'Sign in',
    recovery: 'Reset your password',
    email_change: 'Confirm the change of your address',
  },
  linkText: {
    signup: 'One click and your account is ready.',
    invite: 'One click creates your account and signs you in.',
    magiclink: 'One click and you’re in.',
    email: 'One click and you’re in.',
    recovery: 'Next, you’ll choose a new password.',
    email_change: 'Your account moves to the new address once both addresses have confirmed.',
  },
  linkAction: {
    signup: 'Confirm and sign in',
    invite: 'Accept and sign in',
    magiclink: 'Sign in',
    email: 'Sign in',
    recovery: 'Choose a new password',
    email_change: 'Confirm the change',
  },
  linkReplaces: (email: string) =>
    `You’re signed in as ${email}. If this link belongs to another account, you’ll switch to that account in this browser.`,
  linkStay: (email: string) => `Stay signed in as ${email}`,
  linkNow: (email: string) => `You’re now signed in as ${email}.`,
  linkHalf: 'Step 1 of 2 done. Now confirm from the other mailbox.',
  linkExpired: 'This link has expired or was already used',
  linkExpiredText: 'Links work once, and only for a short time. Get a new one here.',
  linkMayBeConfirmed: 'Already confirmed your account? Sign in with your password.',
  linkElsewhere: 'Open this link where you asked for it',
  linkElsewhereText:
    'This kind of link works only in the browser that asked for it. Go back there, or get a new email here.',
  linkFailed: 'We couldn’t sign you in',

  captcha: 'Check that you’re human',
  captchaFailed: 'The check couldn’t be loaded. Allow it in your browser, or reload the page.',
  signupClosed: 'We’re not taking new accounts at the moment.',

  recovery: {
    code: 'Recovery code',
    hint: 'Letters and digits, in groups of four. Each code works once.',
    missing: 'Enter all characters of a recovery code.',
    explain: 'The code takes the place of your authenticator this once. Two-step sign-in stays on.',
    submit: 'Use recovery code',
    invalid: 'That code isn’t right, or it was used before.',
    limited: 'Too many wrong codes. Try again later.',
    failed: 'Couldn’t check the code. Try again: a code isn’t used up until you’re in.',
    done: (unused: number) =>
      `You’re signed in. ${unused === 1 ? '1 recovery code is' : `${unused} recovery codes are`} left. If your authenticator is lost, replace it.`,
    replace: 'Replace it',
  },
};

export type AuthTexts = Translation<typeof english>;

export const authTexts = defineTexts<AuthTexts>(english, () => import('./auth-texts.de.ts'));

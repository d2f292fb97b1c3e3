/** For the first screens: sign-in and sign-up. */
export const texts = {
  signIn: 'Sign in',
  signUp: 'Create account',
  email: 'E-mail',
  password: 'Password',
  forgotPassword: 'Forgot your password?',
  newHere: 'New here?',
  haveAccount: 'Have an account already?',
  codeInstead: 'E-mail me a code or link instead',
  clearCookies: 'Trouble signing in? Clear cookies',
  codeTitle: 'Sign in by e-mail',
  codeIntro: 'We send you a link and a code. Either of them signs you in, without a password.',
  sessionEnded: 'You were signed out. Sign in to go on.',
  signOutFailed:
    'Other devices may still be signed in: the server could not end their sessions. Sign in and try again.',
  offline: 'You are offline. You can fill this in, but not send it.',
};

export type AuthTexts = typeof texts;

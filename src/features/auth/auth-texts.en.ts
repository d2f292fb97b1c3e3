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
  offline: 'You are offline. You can fill this in, but not send it.',
};

export type AuthTexts = typeof texts;

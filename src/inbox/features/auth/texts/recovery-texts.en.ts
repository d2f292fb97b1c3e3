/** The texts of signing in with a recovery code. */
export const texts = {
  code: 'Recovery code',
  hint: 'Twelve letters and digits. Each code works once.',
  missing: 'Enter all twelve characters of a recovery code.',
  explain:
    'The code turns two-step sign-in off and signs out your other devices. Set it up again afterwards.',
  submit: 'Use recovery code',
  invalid: 'That code isn’t right, or it was used before.',
  limited: 'Too many wrong codes. Try again later.',
  failed: 'Couldn’t check the code. Try again: a code isn’t used up until you’re in.',
  done: 'Two-step sign-in is off. Set it up again to protect your account.',
  setUp: 'Set it up',
};

export type RecoveryTexts = typeof texts;

/** The texts of recovery codes. */
export const texts = {
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
  keep: 'If you lose your authenticator, each of these codes signs you in once and turns two-step sign-in off. Keep them where you keep your passwords. They’re shown only now.',
  spare: 'Even better: add a second authenticator app on another device, too.',
  copy: 'Copy',
  copied: 'The codes are copied.',
  copyRefused: 'Couldn’t copy the codes. They’re selected, so you can copy them yourself.',
  download: 'Download',
  print: 'Print',
  done: 'I’ve saved my codes',
  account: (email: string, date: string) => `For ${email}, created on ${date}`,
};

export type RecoveryTexts = typeof texts;

import { defineTexts, type Translation } from '../../ui/texts.ts';

const english = {
  loading: 'Loading the request',
  title: (application: string) => `${application} wants to sign you in`,
  nameless: 'An application',
  as: (email: string) => `It will know you as ${email}.`,
  sees: 'What it learns',
  scopes: {
    openid: 'That you have an account here, and its id',
    email: 'Your email address',
    profile: 'Your name and picture',
    phone: 'Your phone number',
  },
  otherScope: (scope: string) => `“${scope}”`,
  inboxStays:
    'It can’t read or send notifications. It could change your account, so continue only if you trust it.',
  leadsTo: (host: string) => `You’ll go to ${host}. Continue only if you started this there.`,
  allow: 'Continue',
  deny: 'Cancel',
  leaving: (host: string) => `Taking you to ${host}`,
  leave: 'Go there now',
  goneTitle: 'This request is no longer valid',
  goneText: 'It was answered, or it’s more than ten minutes old. Start again in the other application.',
  failedTitle: 'Couldn’t load the request',
  failedText: 'Check your connection and try again.',
  retry: 'Try again',
  answerFailed: 'Couldn’t save your answer. Try again.',
  stay: 'Go to your inbox',
};

export type ConsentTexts = Translation<typeof english>;

export const consentTexts = defineTexts<ConsentTexts>(english, () => import('./consent-texts.de.ts'));

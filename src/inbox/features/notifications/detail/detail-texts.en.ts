import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  label: 'Notification',
  from: 'From',
  about: 'About',
  when: 'When',
  returns: 'Snoozed until',
  follow: 'Open page',
  followForeign: (host: string) => `Open ${host}`,
  next: 'Next notification',
  previous: 'Previous notification',
  gone: 'This notification no longer exists.',
  leaving: {
    title: 'You’re leaving this site',
    text: 'The sender of this notification chose this link. Continue only if you trust it.',
    proceed: (host: string) => `Continue to ${host}`,
  },
};

export type DetailTexts = Translation<typeof texts>;

import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  block: (name: string) => `Block ${name}`,
  mute: (entity: string) => `Mute ${entity}…`,
  muteTitle: (entity: string) => `Mute ${entity}`,
  muteChoices: {
    hour: 'For an hour',
    tomorrow: 'Until tomorrow',
    week: 'For a week',
    forever: 'Until I unmute it',
  },
  report: 'Report…',
  blocked: (name: string) => `${name} is blocked. You won’t get notifications from this account.`,
  muted: (entity: string) => `${entity} is muted. You won’t get notifications about it.`,
  mutedUntil: (entity: string, time: string) =>
    `${entity} is muted until ${time}. You won’t get notifications about it.`,
  failed: 'Couldn’t save. Nothing was changed.',
  sender: 'this sender',
  reportTitle: 'Report this notification',
  reportText: 'We’ll review the notification and its sender. The sender isn’t told who reported it.',
  reasonLabel: 'What’s wrong with it?',
  reasons: {
    spam: 'Spam',
    phishing: 'Phishing or a dangerous link',
    abuse: 'Harassment or abuse',
    other: 'Something else',
  },
  comment: 'Details (optional)',
  alsoBlock: (name: string) => `Also block ${name}`,
  send: 'Report',
  reported: 'Thanks for the report. We’ll look into it.',
  reportFailed: 'Couldn’t send the report. Try again.',
};

export type SenderTexts = Translation<typeof texts>;

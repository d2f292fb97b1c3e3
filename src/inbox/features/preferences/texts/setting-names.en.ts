import type { Translation } from '../../../ui/texts.ts';

/** The names of settings, also for changes of them that wait for a connection. */
export const texts = {
  title: 'Preferences',
  channels: { email: 'Email', in_app: 'In app' },
  enable: { email: 'Email notifications', in_app: 'In-app notifications' },
  kinds: { mentions: 'Mentions', edits: 'Edits', comments: 'Comments', invites: 'Invites' },
  digestTitle: 'Email digest',
  timeZone: 'Time zone',
  mailLanguage: 'Language of emails',
  quietTitle: 'Quiet hours',
};

export type SettingNames = Translation<typeof texts>;

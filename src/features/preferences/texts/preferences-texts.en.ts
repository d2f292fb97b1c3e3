import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  title: 'Preferences',
  intro: 'What you are told about, and how. Changes are saved as you make them.',
  loading: 'Loading your preferences',
  channels: { email: 'E-mail', in_app: 'In the app' },
  enable: { email: 'E-mail notifications', in_app: 'Notifications in the app' },
  enableHint: {
    email: 'Turns every e-mail off without forgetting the choices below.',
    in_app: 'Turns every notification in the app off without forgetting the choices below.',
  },
  kindsTitle: 'What you are told about',
  kinds: { mentions: 'Mentions', edits: 'Edits', comments: 'Comments', invites: 'Invites' },
  kindHint: {
    mentions: 'Somebody names you.',
    edits: 'Somebody changes what you work on.',
    comments: 'Somebody comments on what you work on.',
    invites: 'Somebody invites you.',
  },
  kept: (isOn: boolean) => `Off now; your choice "${isOn ? 'on' : 'off'}" is kept.`,
  digestTitle: 'E-mail digest',
  digest: 'How often',
  digestOff: 'No digest is sent while e-mail notifications are off.',
  frequencies: { never: 'Never', hourly: 'Hourly', daily: 'Daily', weekly: 'Weekly' },
  temporary:
    'Your preferences could not be loaded. You see the usual settings; what you change here is not saved.',
  outdated: 'Your preferences could not be brought up to date. You see an earlier copy.',
  cleared: 'Your preferences were removed elsewhere.',
  restore: 'Set up the usual preferences',
  retry: 'Try again',
  saveFailed: 'That could not be saved; the setting is as it was.',
  saving: 'Saving…',
  saved: 'Saved',
};

export type PreferencesTexts = Translation<typeof texts>;

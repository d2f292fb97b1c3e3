import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  title: 'Preferences',
  intro: 'Choose what to hear about, and how. Changes are saved right away.',
  loading: 'Loading your preferences',
  channels: { email: 'Email', in_app: 'In app' },
  enable: { email: 'Email notifications', in_app: 'In-app notifications' },
  enableHint: {
    email: 'Turn off to pause all email. Your choices are kept.',
    in_app: 'Turn off to pause all in-app notifications. Your choices are kept.',
  },
  kindsTitle: 'Notify me about',
  kinds: { mentions: 'Mentions', edits: 'Edits', comments: 'Comments', invites: 'Invites' },
  kindHint: {
    mentions: 'Someone mentions you.',
    edits: 'Someone changes what you work on.',
    comments: 'Someone comments on what you work on.',
    invites: 'Someone invites you.',
  },
  kept: (isOn: boolean) => `Paused. Your choice “${isOn ? 'on' : 'off'}” is kept.`,
  digestTitle: 'Email digest',
  digest: 'How often',
  digestDay: 'On',
  digestHour: 'At',
  timeZone: 'Time zone',
  digestOff: 'No digest is sent while email notifications are off.',
  frequencies: { never: 'Never', instant: 'Right away', hourly: 'Hourly', daily: 'Daily', weekly: 'Weekly' },
  temporary: 'Couldn’t load your preferences. These are the defaults; changes you make now aren’t saved.',
  outdated: 'Couldn’t refresh your preferences. You’re seeing an earlier copy.',
  cleared: 'Your preferences were deleted on another device.',
  restore: 'Start with the defaults',
  retry: 'Try again',
  saveFailed: 'Couldn’t save. Nothing was changed.',
  saving: 'Saving…',
  saved: 'Saved',
};

export type PreferencesTexts = Translation<typeof texts>;

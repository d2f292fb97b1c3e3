import { defineTexts, type Translation } from '../../ui/texts.ts';

/** When a digest is sent, formatted for display. */
interface MailTime {
  readonly hour: string;
  readonly day: string;
  readonly zone: string;
}

const english = {
  title: 'Preferences',
  channels: { email: 'Email', in_app: 'In app' },
  enable: { email: 'Email notifications', in_app: 'In-app notifications' },
  kinds: { mentions: 'Mentions', edits: 'Edits', comments: 'Comments', invites: 'Invites' },
  digestTitle: 'Email digest',
  timeZone: 'Time zone',
  quietTitle: 'Quiet hours',

  intro: 'Choose what to hear about, and how. Changes are saved right away.',
  loading: 'Loading your preferences',
  channelsTitle: 'How we reach you',
  enableHint: {
    email: 'Turn off to pause all email. Your choices are kept.',
    in_app: 'Turn off to pause all in-app notifications. Your choices are kept.',
  },
  kindsTitle: 'Notify me about',
  topicsTitle: 'Topics you can follow',
  kindHint: {
    mentions: 'Someone mentions you or sends you a message.',
    edits: 'Someone changes what you work on.',
    comments: 'Someone comments on what you work on.',
    invites: 'Someone invites you or answers you. Invitations to you are emailed even if this is off.',
  },
  kept: (isOn: boolean) => `Paused. Your choice “${isOn ? 'on' : 'off'}” is kept.`,
  digest: 'How often',
  digestDay: 'Day',
  digestHour: 'Time',
  digestOff: 'No digest is sent while email notifications are off.',
  frequencies: { never: 'Never', instant: 'Right away', hourly: 'Hourly', daily: 'Daily', weekly: 'Weekly' },
  meaning: {
    never: () => 'You get no notification emails.',
    instant: () =>
      'You get one email per thread, two minutes after something happens, unless you read it first.',
    hourly: () => 'You get one email on the hour with what is still unread.',
    daily: ({ hour, zone }: MailTime) =>
      `You get one email every day at ${hour} (${zone}) with what is still unread.`,
    weekly: ({ hour, day, zone }: MailTime) =>
      `You get one email every ${day} at ${hour} (${zone}) with what is still unread.`,
  },
  otherZone: (zone: string) => `This browser’s time zone is ${zone}.`,
  takeZone: (zone: string) => `Use ${zone}`,
  nextMail: (time: string, waiting: number) =>
    `The next email is due on ${time}, with ${waiting} unread ${waiting === 1 ? 'notification' : 'notifications'}.`,
  nextMailEmpty: (time: string) => `Nothing is waiting. Anything new would be emailed on ${time}.`,
  sendTest: 'Send me a test email',
  testSent: 'A test email is on its way.',
  testLimited: 'You can send one test email per minute, and ten a day. Try again later.',
  mailFailed: 'Something went wrong. Try again.',
  suppressed: {
    bounce: (address: string) => `Emails to ${address} couldn’t be delivered, so we stopped sending them.`,
    complaint: (address: string) =>
      `An email to ${address} was reported as spam, so we stopped sending them.`,
  },
  allowAddress: 'Send emails again',
  unconfirmed: 'Confirm your email address to get notification emails.',
  quiet: 'Pause alerts and emails at set times',
  quietHint:
    'No desktop alerts. Notification emails, and alerts while no tab is open, wait until the end. Emails about the safety of your account come at once.',
  quietFrom: 'From',
  quietTo: 'To',
  quietDays: 'Start on',
  quietNoDay: 'No day is chosen, so there are no quiet hours.',
  sendersTitle: 'Blocked senders',
  noSenders: 'You haven’t blocked anyone.',
  sendersFailed: 'Couldn’t load blocked senders and muted threads.',
  unknownSender: 'Deleted account',
  unblock: 'Unblock',
  unblockNamed: (name: string) => `Unblock ${name}`,
  unblocked: (name: string) => `${name} is no longer blocked.`,
  threadsTitle: 'Muted threads',
  noThreads: 'You haven’t muted anything.',
  mutedUntil: (time: string) => `Until ${time}`,
  unmute: 'Unmute',
  unmuteNamed: (name: string) => `Unmute ${name}`,
  unmuted: (name: string) => `${name} is no longer muted.`,
  undo: 'Undo',
  temporary: 'Couldn’t load your preferences. These are the defaults; changes you make now aren’t saved.',
  outdated: 'Couldn’t refresh your preferences. You’re seeing an earlier copy.',
  cleared: 'Your preferences were deleted on another device.',
  restore: 'Start with the defaults',
  retry: 'Try again',
  saveFailed: 'Couldn’t save. Nothing was changed.',
  saving: 'Saving…',
};

export type PreferencesTexts = Translation<typeof english>;

export const preferencesTexts = defineTexts<PreferencesTexts>(
  english,
  () => import('./preferences-texts.de.ts'),
);

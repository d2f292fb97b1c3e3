import { defineTexts, type Translation } from '../../../ui/texts.ts';

const english = {
  detail: {
    label: 'Notification',
    returns: 'Snoozed until',
    follow: (name: string) => `Open ${name}`,
    page: 'page',
    preferences: 'preferences',
    earlier: 'Earlier in this thread',
    next: 'Next notification',
    previous: 'Previous notification',
    gone: 'This notification no longer exists.',
    leaving: {
      title: 'You’re leaving this site',
      text: 'The sender of this notification chose this link. Continue only if you trust it.',
      proceed: (host: string) => `Continue to ${host}`,
    },
  },

  selection: {
    done: 'Done',
    all: 'Select all shown',
    everything: (count: number) => `Select all ${count.toLocaleString('en')}`,
    selected: (count: number) => `${count.toLocaleString('en')} selected`,
    remove: (count: number) =>
      count === 1 ? 'Delete 1 notification?' : `Delete ${count.toLocaleString('en')} notifications?`,
    removeText: 'You can undo this while the message about it is shown.',
  },

  filter: {
    person: 'Person',
  },

  actions: {
    done: (action: string) => `Done: ${action}`,
    failed: 'Something went wrong. Try again.',
  },

  snooze: {
    title: (count: number) => (count === 1 ? 'Snooze until' : `Snooze ${count.toLocaleString('en')} until`),
    choices: { laterToday: 'Later today', tomorrow: 'Tomorrow', nextWeek: 'Next week' },
    pick: 'Date and time',
    snooze: 'Snooze',
    missing: 'Choose a date and a time.',
    past: 'Choose a time in the future.',
    snoozed: (count: number, time: string) =>
      count === 1
        ? `Snoozed until ${time}.`
        : `${count.toLocaleString('en')} notifications snoozed until ${time}.`,
  },

  senders: {
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
  },

  options: {
    grouping: 'Group notifications',
    groupingHint: 'Show a thread, or what one person did in a short time, as one row.',
    shortcuts: 'Keyboard shortcuts',
    shortcutsHint: 'Letter keys work on the whole page, except in text fields.',
    shortcutsSwitch: 'Use keyboard shortcuts',
    shortcut: {
      next: 'Next notification',
      previous: 'Previous notification',
      open: 'Open',
      read: 'Mark as read or unread',
      archive: 'Archive or move to inbox',
      remove: 'Delete',
      snooze: 'Snooze',
      search: 'Search',
      select: 'Select',
      allRead: 'Mark all read',
      undo: 'Undo the last action',
      goInbox: 'Go to the inbox',
      goPreferences: 'Go to preferences',
      escape: 'Close the notification, or end selecting',
      help: 'Show this help',
    },
    /** Names of keys by `KeyboardEvent.key`; other keys are named by their letter. */
    keyNames: { Delete: 'Del', Escape: 'Esc', R: 'Shift R' } as Readonly<Record<string, string>>,
    controlKey: 'Ctrl',
    selectAllKey: 'While selecting: select all',
  },
};

export type InboxDialogTexts = Translation<typeof english>;

/** The texts of what opens over or beside the list. */
export const inboxDialogTexts = defineTexts<InboxDialogTexts>(
  english,
  () => import('./inbox-dialog-texts.de.ts'),
);

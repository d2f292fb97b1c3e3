import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  desktop: 'Desktop alerts',
  desktopHint: 'Show a desktop alert when the inbox is in the background.',
  desktopDenied: 'Your browser blocks alerts from this site. You can allow them in its settings.',
  sound: 'Sound',
  soundHint: 'Play two soft notes when a notification arrives.',
  grouping: 'Group similar notifications',
  groupingHint: 'One row for edits or comments by the same person, in one place, on one day.',
  density: 'Row height',
  densities: { compact: 'Compact', standard: 'Standard', relaxed: 'Relaxed' },
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
  /** By `KeyboardEvent.key`; other keys are named by their letter. */
  keyNames: { Delete: 'Del', Escape: 'Esc', R: 'Shift R' } as Readonly<Record<string, string>>,
  controlKey: 'Ctrl',
  selectAllKey: 'While selecting: select all',
};

export type OptionsTexts = Translation<typeof texts>;

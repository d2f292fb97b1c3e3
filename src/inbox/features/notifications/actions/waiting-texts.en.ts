import type { Translation } from '../../../ui/texts.ts';

/** `what`: a title in quotes, or a number of notifications. */
export const texts = {
  title: (title: string) => `“${title}”`,
  count: (count: number) => (count === 1 ? '1 notification' : `${count.toLocaleString('en')} notifications`),
  unread: (what: string) => `Mark ${what} as unread`,
  read: (what: string) => `Mark ${what} as read`,
  archived: (what: string) => `Archive ${what}`,
  unarchived: (what: string) => `Move ${what} to the inbox`,
  removed: (what: string) => `Delete ${what}`,
  snoozed: (what: string) => `Snooze ${what}`,
  woken: (what: string) => `End the snooze of ${what}`,
  readAll: 'Mark all as read',
  removedAll: 'Delete a whole list',
};

export type WaitingTexts = Translation<typeof texts>;

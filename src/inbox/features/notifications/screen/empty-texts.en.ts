import type { Translation } from '../../../ui/texts.ts';

export const texts = {
  empty: {
    all: 'No notifications yet.',
    unread: 'You’re all caught up.',
    snoozed: 'Nothing snoozed.',
    archived: 'Nothing archived.',
  },
  emptyHint: {
    all: 'Mentions, comments, edits and invites will show up here.',
    unread: 'New notifications will show up here.',
    snoozed: 'Snoozed notifications wait here until their time.',
    archived: 'Archive notifications to keep them out of your inbox.',
  },
  inviteSomeone: 'Invite someone',
  choosePreferences: 'Choose what you hear about',
  emptyKind: 'No notifications of this type.',
  searchEmpty: (query: string) => `No results for “${query}”.`,
  searchEmptyHint: 'Try fewer or shorter words. A word also finds words that begin with it.',
};

export type EmptyTexts = Translation<typeof texts>;

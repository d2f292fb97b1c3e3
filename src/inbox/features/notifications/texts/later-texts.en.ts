import type { Translation } from '../../../ui/texts.ts';

const notifications = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'notification' : 'notifications'}`;

/** Texts of parts that are loaded after the first list. */
export const texts = {
  found: (count: number, hasMore: boolean) =>
    count === 0
      ? 'No results'
      : `${count.toLocaleString('en')}${hasMore ? '+' : ''} ${count === 1 && !hasMore ? 'result' : 'results'}`,
  undo: 'Undo',
  removed: (count: number) => `${notifications(count)} deleted.`,
  removedAll: 'All notifications in this list deleted.',
  archived: (count: number) => `${notifications(count)} archived.`,
  unarchived: (count: number) => `${notifications(count)} moved to inbox.`,
  markedRead: (count: number) => `${notifications(count)} marked as read.`,
  markedUnread: (count: number) => `${notifications(count)} marked as unread.`,
  markedAllRead: 'All marked as read.',
  missing: (missing: number, count: number) =>
    missing === 1 && count === 1
      ? 'This notification was deleted.'
      : missing === count
        ? 'These notifications were deleted.'
        : `${missing.toLocaleString('en')} of ${notifications(count)} had been deleted.`,
  clearSearch: 'Clear search',
  arrived: (count: number) =>
    `${count.toLocaleString('en')} new ${count === 1 ? 'notification' : 'notifications'}`,
};

export type LaterTexts = Translation<typeof texts>;

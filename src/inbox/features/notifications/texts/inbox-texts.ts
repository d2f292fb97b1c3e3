import { defineTexts, type Translation } from '../../../ui/texts.ts';

const notifications = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'notification' : 'notifications'}`;

const english = {
  language: 'en',
  title: 'Inbox',
  tabs: { all: 'All', unread: 'Unread', 'needs-you': 'Needs you', snoozed: 'Snoozed', archived: 'Archived' },
  tabsLabel: 'Lists',
  tabName: (tab: string, count: number) => `${tab}, ${count}`,
  kindsLabel: 'Types',
  filter: 'Filter',
  removeFilter: (name: string) => `Remove filter: ${name}`,
  kinds: {
    mention: 'Mentions',
    edit: 'Edits',
    comment: 'Comments',
    invite: 'Invites',
    message: 'Messages',
    system: 'System',
  },
  kind: {
    mention: 'Mention',
    edit: 'Edit',
    comment: 'Comment',
    invite: 'Invite',
    system: 'System',
    message: 'Message',
    other: 'Notification',
  },
  kindName: (kind: string, unread: number) => `${kind}, ${unread} unread`,
  titles: {
    mention: (actor: string, entity: string) => `${actor} mentioned you in ${entity}`,
    edit: (actor: string, entity: string) => `${actor} edited ${entity}`,
    comment: (actor: string, entity: string) => `${actor} commented on ${entity}`,
  },
  /** Headlines of an invitation and of the answers to it; without an entity it is null. */
  invitations: {
    open: (actor: string, entity: string | null) =>
      `${actor} invited you${entity === null ? '' : ` to ${entity}`}`,
    accepted: (actor: string, entity: string | null) =>
      `${actor} accepted your invitation${entity === null ? '' : ` to ${entity}`}`,
    declined: (actor: string, entity: string | null) =>
      `${actor} declined your invitation${entity === null ? '' : ` to ${entity}`}`,
  },
  sentMessage: (actor: string) => `${actor} sent you a message`,
  /** The row of several notifications of one sender. */
  senderGroups: {
    edit: (actor: string, count: number) => `${actor} made ${count} edits`,
    comment: (actor: string, count: number) => `${actor} wrote ${count} comments`,
    message: (actor: string, count: number) => `${actor} sent you ${count} messages`,
    other: (actor: string, count: number) => `${count} notifications from ${actor}`,
  },
  someone: 'Someone',
  /** `role`: the object of the sentence, or the place where it happened; languages with cases need it. */
  something: (entityType: string | null, _role: 'object' | 'place') =>
    entityType ? `a ${entityType}` : 'a shared item',
  unread: 'Unread',
  pending: 'Waiting',
  bell: (unread: number) => (unread > 0 ? `Notifications, ${unread} unread` : 'Notifications'),
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  markAllRead: 'Mark all read',
  archive: 'Archive',
  snooze: 'Snooze…',
  returned: 'Returned from snooze',
  search: 'Search notifications',
  searchFailed: 'Couldn’t search your notifications.',
  unarchive: 'Move to inbox',
  remove: 'Delete',
  more: 'More actions',
  actionOn: (action: string, title: string) => `${action}: ${title}`,
  retry: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  loadMore: 'Load more',
  loading: 'Loading notifications',
  stillLoading: 'This is taking longer than usual. Still loading…',
  fresh: (count: number) => `${count} new`,
  readFailed: 'Couldn’t load your notifications.',
  readFailedStale: (time: string) => `Couldn’t refresh. This list is from ${time}.`,
  listNotSaved: 'This list isn’t saved on this device. It loads when you’re back online.',
  noCopy: 'No copy of your inbox is saved on this device.',
  lost: 'Live updates are interrupted. Reconnecting…',
  lostReload: 'Reload the list',
  select: 'Select',
  selectNamed: (title: string) => `Select: ${title}`,
  invite: 'Invite',
  options: 'Inbox options',

  updates: (count: number) => `${count.toLocaleString('en')} updates`,
  /** The target of an action on a thread: its loaded notifications. */
  several: (title: string, count: number) => `${title} (${notifications(count)})`,
  seeAll: 'See all',
  showEverything: 'Clear filters',

  found: (count: number, hasMore: boolean) =>
    count === 0
      ? 'No results'
      : `${count.toLocaleString('en')}${hasMore ? '+' : ''} ${count === 1 && !hasMore ? 'result' : 'results'}`,
  undo: 'Undo',
  removed: (count: number) => `${notifications(count)} deleted.`,
  archived: (count: number) => `${notifications(count)} archived.`,
  unarchived: (count: number) => `${notifications(count)} moved to inbox.`,
  markedRead: (count: number) => `${notifications(count)} marked as read.`,
  markedUnread: (count: number) => `${notifications(count)} marked as unread.`,
  markedAllRead: 'All marked as read.',
  clearSearch: 'Clear search',
  arrived: (count: number) =>
    `${count.toLocaleString('en')} new ${count === 1 ? 'notification' : 'notifications'}`,

  empty: {
    all: 'No notifications yet.',
    unread: 'You’re all caught up.',
    'needs-you': 'Nothing needs you.',
    snoozed: 'Nothing snoozed.',
    archived: 'Nothing archived.',
  },
  emptyHint: {
    all: 'Mentions, comments, edits and invites will show up here.',
    unread: 'New notifications will show up here.',
    'needs-you': 'Unread mentions, open invites and what a sender marks as important show up here.',
    snoozed: 'Notifications that you snooze wait here until they’re due.',
    archived: 'Archive notifications to keep them out of your inbox.',
  },
  inviteSomeone: 'Invite someone',
  choosePreferences: 'Choose what you hear about',
  emptyKind: 'No notifications match these filters.',
  searchEmpty: (query: string) => `No results for “${query}”.`,
  searchEmptyHint: 'Try fewer or shorter words. A word also finds words that begin with it.',

  /** Actions that wait for the connection; the others are named as their buttons. */
  count: notifications,
  snoozed: 'Snooze',
  removeAll: 'Delete a whole list',
  archiveAll: 'Archive a whole list',
};

export type InboxTexts = Translation<typeof english>;

/** The texts of the list and the bell. */
export const inboxTexts = defineTexts<InboxTexts>(english, () => import('./inbox-texts.de.ts'));

import type { Inbox } from '../data/inbox.ts';
import { notificationStatuses } from '../model/notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { laterTexts } from '../texts/later-texts.ts';
import type { LaterTexts } from '../texts/later-texts.en.ts';
import type { UndoableAction } from './inbox-actions.ts';
import { showUndoToast } from './undo-toast.ts';

/** The actions of the screen, each with a toast that undoes it. */
export interface InboxCommands {
  setStatus(notifications: readonly Notification[], status: NotificationStatus): void;
  /** Moves snoozed notifications to the inbox now. */
  unsnooze(notifications: readonly Notification[]): void;
  remove(notifications: readonly Notification[]): void;
  /** null: notifications of every kind. */
  markAllRead(kind: NotificationKind | null): void;
  /** Deletes the whole list of the filter. */
  removeAll(filter: NotificationFilter): void;
  /** Marks them read, or unread if none is unread; archived and snoozed notifications are left alone. */
  toggleRead(notifications: readonly Notification[]): void;
  /** Archives them, or moves them to the inbox if all are archived. */
  toggleArchived(notifications: readonly Notification[]): void;
}

/** The commands of the screen, loaded by `useInboxCommands`. */
export function createInboxCommands(inbox: Inbox): InboxCommands {
  const commands: InboxCommands = {
    setStatus(notifications, status) {
      const changed = notifications.filter((row) => row.status !== status);
      if (changed.length === 0) return;
      inbox.setStatus(idsOf(changed), status);
      showUndoable(inbox, (words) => describe(changed, status, words), {
        undo: () => restoreStatuses(inbox, changed),
      });
    },
    unsnooze(notifications) {
      inbox.snooze(idsOf(notifications), null);
      showUndoable(inbox, (words) => words.unarchived(notifications.length), {
        undo: () => undoSnooze(inbox, notifications),
      });
    },
    remove(notifications) {
      const action = inbox.remove(idsOf(notifications));
      showUndoable(inbox, (words) => words.removed(notifications.length), action);
    },
    markAllRead: (kind) => showUndoable(inbox, (words) => words.markedAllRead, inbox.markAllRead(kind)),
    removeAll: (filter) => showUndoable(inbox, (words) => words.removedAll, inbox.removeAll(filter)),
    toggleRead(notifications) {
      const listed = notifications.filter((row) => row.status !== 'archived' && !row.isSnoozed);
      const hasUnread = listed.some((row) => row.status === 'unread');
      commands.setStatus(listed, hasUnread ? 'read' : 'unread');
    },
    toggleArchived(notifications) {
      const areArchived = notifications.every((row) => row.status === 'archived');
      commands.setStatus(notifications, areArchived ? 'read' : 'archived');
    },
  };
  return commands;
}

/** Shows the toast of an action that is done already. */
function showUndoable(inbox: Inbox, text: (words: LaterTexts) => string, { undo, commit }: Done): void {
  const earlier = inbox.getSnapshot().problem;
  // Loading the texts never rejects: English stands in for a translation that fails to load.
  void laterTexts.load().then((words) => {
    // An action that failed is undone, and the toast of its failure says so.
    const hasFailed = () => {
      const { problem } = inbox.getSnapshot();
      return commit === undefined && problem?.type === 'action' && problem !== earlier;
    };
    if (hasFailed()) return;
    const dismiss = showUndoToast({
      text: text(words),
      label: words.undo,
      undo,
      onKept() {
        stop();
        commit?.();
      },
    });
    const stop = inbox.subscribe(() => {
      if (hasFailed()) dismiss();
    });
  });
}

/** An action without `commit` was sent already. */
type Done = Pick<UndoableAction, 'undo'> & Partial<Pick<UndoableAction, 'commit'>>;

function describe(
  notifications: readonly Notification[],
  status: NotificationStatus,
  words: LaterTexts,
): string {
  const count = notifications.length;
  if (status === 'archived') return words.archived(count);
  if (status === 'unread') return words.markedUnread(count);
  return notifications.every((row) => row.status === 'archived')
    ? words.unarchived(count)
    : words.markedRead(count);
}

/** Restores the earlier snooze of notifications. */
function restoreSnoozes(inbox: Inbox, earlier: readonly Notification[]): void {
  for (const untilMs of new Set(earlier.map((row) => row.snoozedUntilMs)))
    inbox.snooze(idsOf(earlier.filter((row) => row.snoozedUntilMs === untilMs)), untilMs);
}

/** Restores the earlier status of notifications; a snoozed one was unread. */
export function restoreStatuses(inbox: Inbox, earlier: readonly Notification[]): void {
  restoreSnoozes(
    inbox,
    earlier.filter((row) => row.isSnoozed),
  );
  for (const status of notificationStatuses) {
    const ids = idsOf(earlier.filter((row) => row.status === status && !row.isSnoozed));
    if (ids.length > 0) inbox.setStatus(ids, status);
  }
}

/** Restores the state of notifications before they were snoozed. */
export function undoSnooze(inbox: Inbox, earlier: readonly Notification[]): void {
  restoreSnoozes(inbox, earlier);
  // A snooze has marked them unread.
  restoreStatuses(
    inbox,
    earlier.filter((row) => row.status !== 'unread'),
  );
}

function idsOf(notifications: readonly Notification[]): readonly string[] {
  return notifications.map(({ id }) => id);
}

import { useMemo } from 'react';
import { useInbox } from '../data/inbox-context.ts';
import type { Inbox } from '../data/inbox.ts';
import type { Notification, NotificationKind, NotificationStatus } from '../model/notification.ts';
import { notificationStatuses } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
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

/** The same object until the inbox or the language changes. */
export function useInboxCommands(): InboxCommands {
  const inbox = useInbox();
  const texts = inboxTexts.use();
  return useMemo(() => {
    const showUndoable = (text: string, { undo, commit }: UndoableAction) =>
      showUndoToast({ text, label: texts.undo, undo, onKept: commit });
    const describe = (notifications: readonly Notification[], status: NotificationStatus) => {
      const count = notifications.length;
      if (status === 'archived') return texts.archived(count);
      if (status === 'unread') return texts.markedUnread(count);
      return notifications.every((row) => row.status === 'archived')
        ? texts.unarchived(count)
        : texts.markedRead(count);
    };
    const commands: InboxCommands = {
      setStatus(notifications, status) {
        const changed = notifications.filter((row) => row.status !== status);
        if (changed.length === 0) return;
        inbox.setStatus(idsOf(changed), status);
        showUndoToast({
          text: describe(changed, status),
          label: texts.undo,
          undo: () => restoreStatuses(inbox, changed),
        });
      },
      unsnooze(notifications) {
        inbox.snooze(idsOf(notifications), null);
        showUndoToast({
          text: texts.unarchived(notifications.length),
          label: texts.undo,
          undo: () => undoSnooze(inbox, notifications),
        });
      },
      remove: (notifications) =>
        showUndoable(texts.removed(notifications.length), inbox.remove(idsOf(notifications))),
      markAllRead: (kind) => showUndoable(texts.markedAllRead, inbox.markAllRead(kind)),
      removeAll: (filter) => showUndoable(texts.removedAll, inbox.removeAll(filter)),
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
  }, [inbox, texts]);
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

/** Moves the focus out of a row that is about to leave: to the next row, else the previous one, else the heading. */
export function moveFocusOutOfRow(id: string): void {
  const row = document.activeElement?.closest('[data-id]');
  if (row?.getAttribute('data-id') !== id) return;
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = links.findIndex((link) => row.contains(link));
  (links[at + 1] ?? links[at - 1] ?? document.querySelector<HTMLElement>('h1'))?.focus();
}

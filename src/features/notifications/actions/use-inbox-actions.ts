import { useMemo } from 'react';
import { useInbox } from '../data/inbox-context.ts';
import type { Notification, NotificationKind, NotificationStatus } from '../model/notification.ts';
import { notificationStatuses } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
import type { UndoableAction } from './inbox-actions.ts';
import { showUndoToast } from './undo-toast.ts';

/** The actions of the screen, each with a toast that undoes it. */
export interface InboxCommands {
  setStatus(notifications: readonly Notification[], status: NotificationStatus): void;
  remove(notifications: readonly Notification[]): void;
  /** null: notifications of every kind. */
  markAllRead(kind: NotificationKind | null): void;
  /** Deletes the whole list of the filter. */
  removeAll(filter: NotificationFilter): void;
  /** Read becomes unread and the other way round; archived notifications are left alone. */
  toggleRead(notification: Notification): void;
  /** Archives, or moves an archived notification to the inbox. */
  toggleArchived(notification: Notification): void;
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
          undo() {
            for (const before of notificationStatuses) {
              const ids = idsOf(changed.filter((row) => row.status === before));
              if (ids.length > 0) inbox.setStatus(ids, before);
            }
          },
        });
      },
      remove: (notifications) =>
        showUndoable(texts.removed(notifications.length), inbox.remove(idsOf(notifications))),
      markAllRead: (kind) => showUndoable(texts.markedAllRead, inbox.markAllRead(kind)),
      removeAll: (filter) => showUndoable(texts.removedAll, inbox.removeAll(filter)),
      toggleRead(row) {
        if (row.status !== 'archived') commands.setStatus([row], row.status === 'unread' ? 'read' : 'unread');
      },
      toggleArchived: (row) => commands.setStatus([row], row.status === 'archived' ? 'read' : 'archived'),
    };
    return commands;
  }, [inbox, texts]);
}

function idsOf(notifications: readonly Notification[]): readonly string[] {
  return notifications.map(({ id }) => id);
}

/** Moves the focus out of a row that is about to leave: to the next row, else the previous one, else the heading. */
export function leaveRow(id: string): void {
  const row = document.activeElement?.closest('[data-id]');
  if (row?.getAttribute('data-id') !== id) return;
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = links.findIndex((link) => row.contains(link));
  (links[at + 1] ?? links[at - 1] ?? document.querySelector<HTMLElement>('h1'))?.focus();
}

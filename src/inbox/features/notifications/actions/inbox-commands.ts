import { useMemo } from 'react';
import { useInbox } from '../data/inbox-context.ts';
import type { Inbox } from '../data/inbox.ts';
import { notificationStatuses } from '../model/notification.ts';
import type { Notification, NotificationStatus } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts, type InboxTexts } from '../texts/inbox-texts.ts';
import type { InboxAction } from '../data/inbox-actions.ts';
import type { ActionOutcome } from '../data/send-action.ts';
import { showUndoToast } from '../../../ui/list/undo-toast.ts';

/** The actions of the screen, each with a toast that undoes it. */
export interface InboxCommands {
  setStatus(notifications: readonly Notification[], status: NotificationStatus): void;
  /** @param text says what was done. */
  snooze(notifications: readonly Notification[], untilMs: number, text: string): void;
  /** Moves snoozed notifications to the inbox now. */
  unsnooze(notifications: readonly Notification[]): void;
  remove(notifications: readonly Notification[]): void;
  /** null: notifications of every kind. */
  markAllRead(kind: string | null): void;
  /** Deletes the whole list of the filter, which has so many notifications. */
  removeAll(filter: NotificationFilter, count: number): void;
  /** Marks them read, or unread if none is unread; archived and snoozed notifications are left alone. */
  toggleRead(notifications: readonly Notification[]): void;
  /** Archives them, or moves them to the inbox if all are archived. */
  toggleArchived(notifications: readonly Notification[]): void;
}

/** The same object until the inbox changes. */
export function useInboxCommands(): InboxCommands {
  const inbox = useInbox();
  return useMemo(() => createInboxCommands(inbox), [inbox]);
}

export function createInboxCommands(inbox: Inbox): InboxCommands {
  const commands: InboxCommands = {
    setStatus(notifications, status) {
      const changed = notifications.filter((row) => row.status !== status);
      if (changed.length === 0) return;
      showUndoable(inbox.setStatus(idsOf(changed), status), {
        text: (words) => describe(changed, status, words),
        notifications: changed,
        restore: (rows) => restoreStatuses(inbox, rows),
      });
    },
    snooze(notifications, untilMs, text) {
      showUndoable(inbox.snooze(idsOf(notifications), untilMs), {
        text: () => text,
        notifications,
        restore: (rows) => undoSnooze(inbox, rows),
      });
    },
    unsnooze(notifications) {
      showUndoable(inbox.snooze(idsOf(notifications), null), {
        text: (words) => words.unarchived(notifications.length),
        notifications,
        restore: (rows) => undoSnooze(inbox, rows),
      });
    },
    remove(notifications) {
      showUndoable(inbox.remove(idsOf(notifications)), {
        text: (words) => words.removed(notifications.length),
      });
    },
    markAllRead: (kind) => showUndoable(inbox.markAllRead(kind), { text: (words) => words.markedAllRead }),
    removeAll: (filter, count) =>
      showUndoable(inbox.removeAll(filter), { text: (words) => words.removed(count) }),
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

interface ShownAction {
  readonly text: (words: InboxTexts) => string;
  /** The notifications as they were. */
  readonly notifications?: readonly Notification[];
  /** Restores them after the action was sent; without it, only an action that is not sent yet can be undone. */
  readonly restore?: (notifications: readonly Notification[]) => void;
}

/** Shows the toast of an action, which undoes it. An action that was not applied to any row loses its toast. */
function showUndoable(action: InboxAction, { text, notifications = [], restore }: ShownAction): void {
  let outcome: ActionOutcome | null = null;
  const isApplied = () =>
    outcome === null ||
    outcome.type === 'sent' ||
    (notifications.length > 1 && Boolean(outcome.answer?.length));
  let dismiss: () => void = () => undefined;
  void action.settled.then((settled) => {
    outcome = settled;
    if (!isApplied()) dismiss();
  });
  void inboxTexts.load().then((words) => {
    if (!isApplied()) return;
    const undo = () => {
      const existing = outcome?.answer?.map(({ id }) => id);
      action.undo(
        restore && (() => restore(notifications.filter(({ id }) => !existing || existing.includes(id)))),
      );
    };
    dismiss = showUndoToast({ text: text(words), label: words.undo, undo, onKept: action.release });
  });
}

function describe(
  notifications: readonly Notification[],
  status: NotificationStatus,
  words: InboxTexts,
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
function restoreStatuses(inbox: Inbox, earlier: readonly Notification[]): void {
  restoreSnoozes(
    inbox,
    earlier.filter((row) => row.isSnoozed),
  );
  for (const status of notificationStatuses) {
    const ids = idsOf(earlier.filter((row) => row.status === status && !row.isSnoozed));
    if (ids.length > 0) inbox.setStatus(ids, status);
  }
}

/** Restores the state of notifications before they were snoozed, which has marked them unread. */
function undoSnooze(inbox: Inbox, earlier: readonly Notification[]): void {
  restoreSnoozes(inbox, earlier);
  restoreStatuses(
    inbox,
    earlier.filter((row) => row.status !== 'unread'),
  );
}

function idsOf(notifications: readonly Notification[]): readonly string[] {
  return notifications.map(({ id }) => id);
}

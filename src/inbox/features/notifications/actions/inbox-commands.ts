import { useMemo } from 'react';
import { useInbox } from '../data/inbox-context.ts';
import type { Inbox } from '../data/inbox.ts';
import { notificationStatuses, type Notification, type NotificationStatus } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts, type InboxTexts } from '../texts/inbox-texts.ts';
import type { InboxAction } from '../data/inbox-actions.ts';
import type { ActionOutcome } from '../data/send-action.ts';
import { showUndoToast } from '../../../ui/list/undo-toast.ts';

export type InboxCommands = ReturnType<typeof createInboxCommands>;

/** The same object until the inbox changes. */
export function useInboxCommands(): InboxCommands {
  const inbox = useInbox();
  return useMemo(() => createInboxCommands(inbox), [inbox]);
}

/** The actions of the screen, each with a toast that undoes it. */
export function createInboxCommands(inbox: Inbox) {
  const setStatus = (notifications: readonly Notification[], status: NotificationStatus) => {
    const changed = notifications.filter((row) => row.status !== status);
    if (changed.length === 0) return;
    showUndoable(inbox.setStatus(idsOf(changed), status), {
      text: (words) => describe(changed, status, words),
      notifications: changed,
      restore: (rows) => restoreEarlier(inbox, rows, false),
    });
  };
  type Rows = readonly Notification[];
  /** Ids of the notifications that the last toggle marked read. */
  let lastRead: ReadonlySet<string> = new Set();
  const snooze = (notifications: Rows, untilMs: number | null, text: ShownAction['text']) =>
    showUndoable(inbox.snooze(idsOf(notifications), untilMs), {
      text,
      notifications,
      restore: (rows) => restoreEarlier(inbox, rows, true),
    });
  return {
    setStatus,
    /** @param text the text of the toast. */
    snooze: (rows: Rows, untilMs: number, text: string) => snooze(rows, untilMs, () => text),
    /** Moves snoozed notifications to the inbox now. */
    unsnooze: (rows: Rows) => snooze(rows, null, (words) => words.unarchived(rows.length)),
    remove: (rows: Rows) =>
      showUndoable(inbox.remove(idsOf(rows)), { text: (words) => words.removed(rows.length) }),
    /** null: notifications of every kind. */
    markAllRead: (kind: string | null) =>
      showUndoable(inbox.markAllRead(kind), { text: (words) => words.markedAllRead }),
    /** Deletes the whole list of the filter, which has `count` notifications. */
    removeAll: (filter: NotificationFilter, count: number) =>
      showUndoable(inbox.removeAll(filter), { text: (words) => words.removed(count) }),
    /** Archives the whole list of the filter, which has `count` notifications. */
    archiveAll: (filter: NotificationFilter, count: number) =>
      showUndoable(inbox.archiveAll(filter), { text: (words) => words.archived(count) }),
    /**
     * Marks the notifications read. If none is unread, marks those unread that it marked read before, else the newest: the count returns to
     * what it was. Archived and snoozed notifications are left alone.
     */
    toggleRead(notifications: readonly Notification[]) {
      const listed = notifications.filter((row) => row.status !== 'archived' && !row.isSnoozed);
      const unread = listed.filter((row) => row.status === 'unread');
      if (unread.length > 0) {
        lastRead = new Set(idsOf(unread));
        return setStatus(unread, 'read');
      }
      const known = listed.filter(({ id }) => lastRead.has(id));
      setStatus(known.length > 0 ? known : listed.slice(0, 1), 'unread');
    },
    /** Archives the notifications, or moves them to the inbox if all are archived. */
    toggleArchived(notifications: readonly Notification[]) {
      const areArchived = notifications.every((row) => row.status === 'archived');
      setStatus(notifications, areArchived ? 'read' : 'archived');
    },
  };
}

interface ShownAction {
  readonly text: (words: InboxTexts) => string;
  /** The notifications before the action. */
  readonly notifications?: readonly Notification[];
  /** Restores them after the action was sent; without it, only an action that is not sent yet can be undone. */
  readonly restore?: (notifications: readonly Notification[]) => void;
}

/** Shows the toast of an action, which undoes it. An action that was not applied to any row, or was sent and cannot be restored, loses its toast. */
function showUndoable(action: InboxAction, { text, notifications = [], restore }: ShownAction): void {
  let outcome: ActionOutcome | null = null;
  const isApplied = () =>
    outcome === null ||
    outcome.type === 'sent' ||
    (notifications.length > 1 && Boolean(outcome.response?.length));
  let dismiss: () => void = () => undefined;
  void action.settled.then((settled) => {
    outcome = settled;
    if (!restore || !isApplied()) dismiss();
  });
  void inboxTexts.load().then((words) => {
    if (!isApplied()) return;
    const undo = () => {
      const existing = outcome?.response?.map(({ id }) => id);
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

/** Restores the earlier state of notifications: an action on one that was snoozed ended its snooze, and a snooze marked it unread. */
function restoreEarlier(inbox: Inbox, earlier: readonly Notification[], wasSnooze: boolean): void {
  const snoozed = earlier.filter((row) => wasSnooze || row.isSnoozed);
  for (const untilMs of new Set(snoozed.map((row) => row.snoozedUntilMs)))
    inbox.snooze(idsOf(snoozed.filter((row) => row.snoozedUntilMs === untilMs)), untilMs);
  const others = earlier.filter((row) => !row.isSnoozed && !(wasSnooze && row.status === 'unread'));
  for (const status of notificationStatuses) {
    const ids = idsOf(others.filter((row) => row.status === status));
    if (ids.length > 0) inbox.setStatus(ids, status);
  }
}

function idsOf(notifications: readonly Notification[]): readonly string[] {
  return notifications.map(({ id }) => id);
}

import type { Inbox } from '../data/inbox.ts';
import { notificationStatuses } from '../model/notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { inboxTexts, type InboxTexts } from '../texts/inbox-texts.ts';
import type { UndoableAction } from './inbox-actions.ts';
import { showUndoToast } from './undo-toast.ts';

/** The actions of the screen, each with a toast that undoes it. */
export interface InboxCommands {
  setStatus(notifications: readonly Notification[], status: NotificationStatus): void;
  /** @param text says what was done. */
  snooze(notifications: readonly Notification[], untilMs: number, text: string): void;
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
      showUndoable(inbox, (words) => describe(changed, status, words), {
        count: changed.length,
        missing: inbox.setStatus(idsOf(changed), status),
        undo: () => restoreStatuses(inbox, changed),
      });
    },
    snooze(notifications, untilMs, text) {
      showUndoable(inbox, () => text, {
        count: notifications.length,
        missing: inbox.snooze(idsOf(notifications), untilMs),
        undo: () => undoSnooze(inbox, notifications),
      });
    },
    unsnooze(notifications) {
      showUndoable(inbox, (words) => words.unarchived(notifications.length), {
        count: notifications.length,
        missing: inbox.snooze(idsOf(notifications), null),
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

/** An action that was sent already. */
interface SentAction {
  readonly count: number;
  /** How many of the notifications were deleted before. */
  readonly missing: Promise<number>;
  /** @returns how many of the notifications were deleted before. */
  readonly undo: () => Promise<number>;
}

/** Shows the toast of an action that is done already. */
function showUndoable(
  inbox: Inbox,
  text: (words: InboxTexts) => string,
  action: UndoableAction | SentAction,
): void {
  const earlier = inbox.getSnapshot().problem;
  const isSent = 'missing' in action;
  void inboxTexts.load().then((words) => {
    // An action that failed is undone, and the toast of its failure says so.
    const hasFailed = () => {
      const { problem } = inbox.getSnapshot();
      return isSent && problem?.type === 'action' && problem !== earlier;
    };
    if (hasFailed()) return;
    // The undo reports only notifications that the action did not report as deleted.
    let told = 0;
    const showMissing = (missing: number, count: number) => {
      if (missing > told) toasts.show(words.missing(missing, count), { tone: 'error' });
      told = missing;
    };
    const dismiss = showUndoToast({
      text: text(words),
      label: words.undo,
      undo: () =>
        isSent ? void action.undo().then((missing) => showMissing(missing, action.count)) : action.undo(),
      onKept() {
        stop();
        if (!isSent) action.commit();
      },
    });
    const stop = inbox.subscribe(() => {
      if (hasFailed()) dismiss();
    });
    if (!isSent) return;
    void action.missing.then((missing) => {
      // Nothing was changed, and so there is nothing to undo.
      if (missing === action.count) dismiss();
      showMissing(missing, action.count);
    });
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

/** Restores the earlier snooze of notifications. @returns how many were deleted before. */
async function restoreSnoozes(inbox: Inbox, earlier: readonly Notification[]): Promise<number> {
  const times = new Set(earlier.map((row) => row.snoozedUntilMs));
  return sum(
    [...times].map((untilMs) =>
      inbox.snooze(idsOf(earlier.filter((row) => row.snoozedUntilMs === untilMs)), untilMs),
    ),
  );
}

/** Restores the earlier status of notifications; a snoozed one was unread. @returns how many were deleted before. */
function restoreStatuses(inbox: Inbox, earlier: readonly Notification[]): Promise<number> {
  const snoozed = restoreSnoozes(
    inbox,
    earlier.filter((row) => row.isSnoozed),
  );
  const others = notificationStatuses.map((status) => {
    const ids = idsOf(earlier.filter((row) => row.status === status && !row.isSnoozed));
    return ids.length > 0 ? inbox.setStatus(ids, status) : Promise.resolve(0);
  });
  return sum([snoozed, ...others]);
}

/** Restores the state of notifications before they were snoozed. @returns how many were deleted before. */
async function undoSnooze(inbox: Inbox, earlier: readonly Notification[]): Promise<number> {
  const missing = restoreSnoozes(inbox, earlier);
  // A snooze has marked them unread.
  void restoreStatuses(
    inbox,
    earlier.filter((row) => row.status !== 'unread'),
  );
  return missing;
}

async function sum(counts: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
}

function idsOf(notifications: readonly Notification[]): readonly string[] {
  return notifications.map(({ id }) => id);
}

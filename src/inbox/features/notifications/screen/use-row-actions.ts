import { useCallback, useLayoutEffect, useRef } from 'react';
import type { Dispatch, RefObject, SetStateAction } from 'react';
import { useInboxCommands } from '../actions/inbox-commands.ts';
import { useInbox } from '../data/inbox-context.ts';
import type { NotificationListHandle } from '../list/notification-list.tsx';
import type { OnRowAction } from '../list/row-actions.ts';
import type { Rows } from '../model/list-entries.ts';
import type { Notification } from '../model/notification.ts';
import type { InboxUrl } from './use-inbox-url.ts';
import { moveFocusOutOfRow } from '../list/row-after-selection.ts';
import type { SelectionState } from '../list/use-selection.ts';

/** What is open over the list. `keys`: the keyboard shortcuts. */
export type InboxDialog = 'options' | 'keys' | 'invite' | RowDialog;

export interface RowDialog {
  readonly type: 'menu' | 'snooze';
  readonly id: string;
  readonly notifications: Rows;
}

export type RowActions = ReturnType<typeof useRowActions>;

/**
 * The actions of the rows.
 *
 * @param shown the rows in their order: the detail moves on to the next one.
 */
export function useRowActions(
  url: InboxUrl,
  shown: readonly Notification[],
  list: RefObject<NotificationListHandle | null>,
  { toggleAll, extendTo }: Pick<SelectionState, 'toggleAll' | 'extendTo'>,
  setDialog: Dispatch<SetStateAction<InboxDialog | null>>,
) {
  const inbox = useInbox();
  const commands = useInboxCommands();
  /** Opens a notification in the detail and scrolls its row into view. */
  const show = (notification: Notification | undefined) => {
    if (!notification) return;
    url.open(notification.id);
    list.current?.reveal(notification.id, false);
  };
  const closeDetail = () => {
    const openId = url.readOpenId();
    if (openId) list.current?.reveal(openId, true);
    url.open(undefined);
  };
  /** Shows the next notification in the detail, and moves the focus on, before a row leaves the list. */
  const leave = (id: string) => {
    if (id === url.readOpenId()) {
      const next = findNeighbor(shown, id);
      if (next) show(next);
      else url.open(undefined);
    }
    moveFocusOutOfRow(id);
  };
  const act: OnRowAction = (action, notifications, id) => {
    const [first] = notifications;
    switch (action) {
      case 'open':
        // Opening does not change a snoozed notification, which returns as unread.
        if (first.status === 'unread' && !first.isSnoozed) inbox.setStatus([first.id], 'read');
        return;
      case 'read':
        return commands.toggleRead(notifications);
      case 'more':
        return setDialog(toggleMenu({ type: 'menu', id, notifications }));
      case 'snooze':
        return setDialog({ type: 'snooze', id, notifications });
      case 'select':
        return toggleAll(notifications.map((row) => row.id));
      case 'select-range':
        return extendTo(first.id);
      case 'remove':
        leave(id);
        return commands.remove(notifications);
      case 'unsnooze':
        leave(id);
        return commands.unsnooze(notifications);
      case 'archive':
        leave(id);
        return commands.toggleArchived(notifications);
    }
  };
  return { show, closeDetail, leave, onAction: useLatest(act) };
}

/** A click on the button of an open menu closes it. */
const toggleMenu = (menu: RowDialog) => (open: InboxDialog | null) =>
  typeof open === 'object' && open?.id === menu.id ? null : menu;

/** The row after this one, else the row before it. */
function findNeighbor(shown: readonly Notification[], id: string): Notification | undefined {
  const at = shown.findIndex((row) => row.id === id);
  return at < 0 ? undefined : (shown[at + 1] ?? shown[at - 1]);
}

/** Always the same function, so that a click renders only the rows that it changes. */
function useLatest(act: OnRowAction): OnRowAction {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...call) => latest.current(...call), []);
}

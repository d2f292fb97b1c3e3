import type { RefObject } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../../../shared/routes.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import type { Shortcut } from '../actions/shortcuts.ts';
import { useShortcuts } from '../actions/use-shortcuts.ts';
import { findRowLink } from '../list/list-handle.ts';
import type { NotificationListHandle } from '../list/list-handle.ts';
import type { RowAction } from '../list/notification-row.tsx';
import type { Notification } from '../model/notification.ts';

export interface InboxShortcutsOptions {
  readonly shown: readonly Notification[];
  readonly openId: string | null;
  readonly list: RefObject<NotificationListHandle | null>;
  readonly isSelecting: boolean;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  /** Opens a notification in the detail. */
  readonly onShow: (notification: Notification | undefined) => void;
  readonly onCloseDetail: () => void;
  readonly onEndSelection: () => void;
  readonly onMarkAllRead: () => void;
  readonly onHelp: () => void;
  readonly onSearch: () => void;
}

/** Maps shortcuts to the actions of the screen. The current row is the focused one, else the one that the detail shows. */
export function useInboxShortcuts(options: InboxShortcutsOptions): void {
  const { shown, openId, list, isSelecting, onAction, onShow } = options;
  const [, navigate] = useLocation();

  const step = (focusedId: string | null, by: 1 | -1): boolean => {
    const at = shown.findIndex(({ id }) => id === (focusedId ?? openId));
    const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
    if (!next) return false;
    if (openId !== null) onShow(next);
    if (openId === null || focusedId !== null) list.current?.reveal(next.id, true);
    return true;
  };
  const actOnRow = (action: RowAction, rowId: string | null): boolean => {
    const row = shown.find(({ id }) => id === (rowId ?? openId));
    if (row) onAction(action, row);
    return row !== undefined;
  };

  useShortcuts((shortcut: Shortcut, rowId: string | null): boolean => {
    switch (shortcut) {
      case 'next':
        return step(rowId, 1);
      case 'previous':
        return step(rowId, -1);
      case 'open':
        findRowLink(document.querySelector('main'), rowId)?.click();
        return rowId !== null;
      case 'read':
      case 'archive':
      case 'remove':
      case 'select':
      case 'snooze':
        return actOnRow(shortcut, rowId);
      case 'allRead':
        options.onMarkAllRead();
        return true;
      case 'undo':
        toasts.actOnNewest();
        return true;
      case 'goInbox':
        navigate(paths.home);
        return true;
      case 'goPreferences':
        navigate(paths.preferences);
        return true;
      case 'escape':
        if (isSelecting) options.onEndSelection();
        else if (openId !== null) options.onCloseDetail();
        return isSelecting || openId !== null;
      case 'search':
        options.onSearch();
        return true;
      case 'help':
        options.onHelp();
        return true;
    }
  });
}

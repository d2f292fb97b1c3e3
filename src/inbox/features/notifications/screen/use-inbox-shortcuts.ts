import type { RefObject } from 'react';
import { useShortcuts } from '../actions/use-shortcuts.ts';
import type { NotificationListHandle } from '../list/notification-list.tsx';
import type { RowAction } from '../list/row-actions.ts';
import type { SelectionAction, SelectionBarHandle } from '../list/selection-bar.tsx';
import type { ListEntry } from '../model/list-entries.ts';
import type { InboxUrl } from './use-inbox-url.ts';
import type { RowActions } from './use-row-actions.ts';

export interface InboxShortcutsOptions {
  readonly entries: readonly ListEntry[];
  readonly url: InboxUrl;
  readonly rows: RowActions;
  readonly list: RefObject<NotificationListHandle | null>;
  /** Acts on the selected rows; null while selecting is off. */
  readonly selectionBar: RefObject<SelectionBarHandle | null>;
  readonly onEndSelection: () => void;
  readonly onMarkAllRead: () => void;
  readonly onHelp: () => void;
  readonly onSearch: () => void;
}

/** Maps shortcuts to the actions of the screen. The current row is the focused one, else the one that the detail shows. */
export function useInboxShortcuts(options: InboxShortcutsOptions): void {
  const { entries, list, selectionBar } = options;
  const { readOpenId } = options.url;
  const { onAction, show, closeDetail } = options.rows;

  const step = (focusedId: string | null, by: 1 | -1): boolean => {
    const openId = readOpenId();
    const at = entries.findIndex(({ id }) => id === (focusedId ?? openId));
    const next = entries[at < 0 ? 0 : Math.min(entries.length - 1, Math.max(0, at + by))];
    if (!next) return false;
    if (openId !== null && next.notifications.length === 1) show(next.notifications[0]);
    if (openId === null || focusedId !== null) list.current?.reveal(next.id, true);
    return true;
  };
  const actOnRow = (action: RowAction, rowId: string | null): boolean => {
    const entry = entries.find(({ id }) => id === (rowId ?? readOpenId()));
    if (entry) onAction(action, entry.notifications, entry.id);
    return entry !== undefined;
  };

  const act = (action: SelectionAction) => (rowId: string | null) => {
    // While rows are selected, no key acts on another row.
    if (!selectionBar.current) return actOnRow(action, rowId);
    return selectionBar.current.act(action);
  };

  useShortcuts({
    next: (rowId) => step(rowId, 1),
    previous: (rowId) => step(rowId, -1),
    open: (rowId) => (rowId === null ? false : list.current?.follow(rowId)),
    read: act('read'),
    archive: act('archive'),
    remove: act('remove'),
    snooze: act('snooze'),
    select: (rowId) => actOnRow('select', rowId),
    allRead: options.onMarkAllRead,
    search: options.onSearch,
    help: options.onHelp,
    escape(rowId) {
      const isSelecting = selectionBar.current !== null;
      const isOpen = readOpenId() !== null;
      // The focused checkbox is removed.
      if (isSelecting && rowId !== null) list.current?.reveal(rowId, true);
      if (isSelecting) options.onEndSelection();
      else if (isOpen) closeDetail();
      return isSelecting || isOpen;
    },
  });
}

import {
  ArchiveIcon,
  CheckIcon,
  ClockIcon,
  MailIcon,
  MoreIcon,
  TrashIcon,
  UnarchiveIcon,
} from '../../../ui/icons.tsx';
import type { Rows } from '../model/list-entries.ts';
import type { InboxTexts } from '../texts/inbox-texts.ts';

export type RowAction =
  | 'open'
  | 'read'
  | 'archive'
  | 'remove'
  | 'snooze'
  | 'unsnooze'
  | 'select'
  | 'select-range'
  | 'more';

export type OnRowAction = (action: RowAction, notifications: Rows, id: string) => void;

/** The actions as buttons, in the state of the notifications; null: an action that they do not have. */
export function rowActions(notifications: Rows, texts: InboxTexts) {
  const [{ isSnoozed }] = notifications;
  const isUnread = notifications.some(({ status }) => status === 'unread');
  const areArchived = notifications.every(({ status }) => status === 'archived');
  const read = isUnread ? ([texts.markRead, CheckIcon] as const) : ([texts.markUnread, MailIcon] as const);
  const unarchive = [texts.unarchive, UnarchiveIcon] as const;
  const archive = areArchived ? unarchive : ([texts.archive, ArchiveIcon] as const);
  return {
    read: areArchived || isSnoozed ? null : (['read', ...read] as const),
    unsnooze: isSnoozed ? (['unsnooze', ...unarchive] as const) : null,
    archive: ['archive', ...archive] as const,
    snooze: ['snooze', texts.snooze, ClockIcon] as const,
    remove: ['remove', texts.remove, TrashIcon] as const,
    more: ['more', texts.more, MoreIcon] as const,
  };
}

/** In windows this wide a row's menu opens at its button; in narrower ones it is a sheet. */
export const rowMenuMediaQuery = '(min-width: 640px)';

/** What a button that opens a row's menu announces. */
export function rowMenuPopup(): 'menu' | 'dialog' {
  return globalThis.matchMedia?.(rowMenuMediaQuery).matches ? 'menu' : 'dialog';
}

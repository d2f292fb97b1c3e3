import type { Ref } from 'react';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { FocusKeeper } from '../../../ui/list/focus-keeper.ts';
import type { ListItem } from './list-items.ts';
import type { OnRowAction } from './notification-row.tsx';

/** The props that a list passes to its rows. */
export interface RowsProps {
  readonly filter: NotificationFilter;
  readonly onAction: OnRowAction;
  /** null: selecting is off. */
  readonly selected: ReadonlySet<string> | null;
  /** The notification that the detail shows. */
  readonly openId: string | null;
  readonly onToggleGroup: (id: string) => void;
  /** Number of rows in the list. */
  readonly size: number;
}

/** The props of a list, plain or virtualized. */
export interface RenderedListProps extends RowsProps {
  readonly items: readonly ListItem[];
  /** Called when the end of the list comes near. */
  readonly onEndNear: () => void;
  readonly focusKeeper: FocusKeeper;
  readonly ref?: Ref<NotificationListHandle>;
}

export interface NotificationListHandle {
  /** Scrolls to the row, also if it is not rendered yet. `focus`: moves the focus to it too. */
  reveal(id: string, focus: boolean): void;
  /** Follows the link of a rendered row, or opens its thread. */
  follow(id: string): void;
}

/** The next page is read when this many rows or fewer are left below the visible ones. */
export const endNearRows = 15;

/** The link of a rendered row, or the button of a thread. */
export function findRowLink(root: ParentNode | null, id: string | null): HTMLElement | undefined {
  return [...(root?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].find(
    (link) => link.dataset['row'] === id,
  );
}

/** Scrolls to a rendered row. @returns false if it is not rendered. */
export function revealRow(root: ParentNode | null, id: string, focus: boolean): boolean {
  const link = findRowLink(root, id);
  if (!link) return false;
  link.scrollIntoView({ block: 'nearest' });
  if (focus) link.focus({ preventScroll: true });
  return true;
}

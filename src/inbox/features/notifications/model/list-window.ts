import { compareNewestFirst, type Cursor, type Notification } from './notification.ts';
import { matchesFilter, type NotificationFilter } from './notification-filter.ts';

/** The part of one filter's list that is loaded. */
export interface ListWindow {
  readonly filter: NotificationFilter;
  /** The oldest notification that was read. */
  readonly end: Cursor | null;
  /** Whether nothing older exists. */
  readonly isComplete: boolean;
  /** The results of a search, which only the server knows; null: all rows between the first and the end. */
  readonly ids: ReadonlySet<string> | null;
  readonly readAt: number;
}

/** The windows by `encodeFilter`. */
export type ListWindows = Readonly<Record<string, ListWindow>>;

export function windowCovers({ filter, end, isComplete, ids }: ListWindow, row: Notification): boolean {
  if (!matchesFilter(row, filter)) return false;
  return ids ? ids.has(row.id) : isComplete || !end || compareNewestFirst(row, end) <= 0;
}

export function withoutSearchWindows(windows: ListWindows): ListWindows {
  return Object.fromEntries(Object.entries(windows).filter(([, { ids }]) => ids === null));
}

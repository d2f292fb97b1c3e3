import { compareNewestFirst, type Cursor, type Notification } from './notification.ts';
import { encodeFilter, matchesFilter, needed, type NotificationFilter } from './notification-filter.ts';

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

/** Whether the row needs the user, and is listed above the rest although it may be older than the loaded part. */
export function isNeeded(windows: ListWindows, row: Notification): boolean {
  const window = windows[encodeFilter(needed)];
  return window !== undefined && windowCovers(window, row);
}

export function withoutSearchWindows(windows: ListWindows): ListWindows {
  return Object.fromEntries(Object.entries(windows).filter(([, { ids }]) => ids === null));
}

import { compareNewestFirst } from './notification.ts';
import type { Notification } from './notification.ts';
import { combineCounts, countNotifications, noCounts, withoutUnread } from './notification-counts.ts';
import type { NotificationCounts } from './notification-counts.ts';
import { coveringFilters, everything, filterKey, matchesFilter } from './notification-filter.ts';
import type { NotificationFilter } from './notification-filter.ts';
import { applyOperations } from './notification-operation.ts';
import type { ListWindow, NotificationsState } from './notifications-state.ts';

/** One filter's list as it is shown: what the server holds, with what the reader did on top. */
export interface InboxView {
  readonly filter: NotificationFilter;
  /** Newest first. */
  readonly notifications: readonly Notification[];
  /** Whether there is a list to show; before that nothing is known of it. */
  readonly isLoaded: boolean;
  /** Whether older ones may exist that were not read yet. */
  readonly hasMore: boolean;
}

export function selectView(state: NotificationsState, filter: NotificationFilter): InboxView {
  const window = selectWindow(state, filter);
  const keepsRead = filter.tab === 'unread' && filterKey(filter) === filterKey(state.filter);
  const shown = overlay(state).filter(
    (notification) =>
      (!window || window.isComplete || !window.end || compareNewestFirst(notification, window.end) <= 0) &&
      (matchesFilter(notification, filter) ||
        (keepsRead && notification.status === 'read' && isKept(state, notification))),
  );
  return {
    filter,
    notifications: shown.sort(compareNewestFirst),
    isLoaded: window !== null,
    hasMore: window !== null && !window.isComplete,
  };
}

/** How far the filter's list is known: by its own reading, or by that of a list which contains it. */
export function selectWindow(state: NotificationsState, filter: NotificationFilter): ListWindow | null {
  const windows = coveringFilters(filter).map((covering) => state.windows[filterKey(covering)]);
  return windows.find((window) => window?.isComplete) ?? windows.find(Boolean) ?? null;
}

/**
 * The one source of every count. What was read is counted here; the server's totals count the rest. So a number
 * never contradicts the list beside it.
 */
export function selectCounts(state: NotificationsState): NotificationCounts {
  const inside = countNotifications(overlay(state));
  if (!state.totals) return inside;
  let outside = combineCounts(state.totals, countNotifications(state.rows.values()), -1);
  const isWholeKnown = (filter: NotificationFilter) => selectWindow(state, filter)?.isComplete ?? false;
  if (isWholeKnown(everything)) outside = { ...noCounts, archived: outside.archived };
  for (const operation of state.operations) {
    if (operation.type === 'read-all') outside = withoutUnread(outside, operation.kind);
  }
  return combineCounts(inside, outside);
}

function overlay({ rows, operations }: NotificationsState): Notification[] {
  return [...rows.values()].flatMap((row) => applyOperations(row, operations) ?? []);
}

function isKept({ kept, filter }: NotificationsState, { id, kind }: Notification): boolean {
  return kept.has(id) && (filter.kind === null || filter.kind === kind);
}

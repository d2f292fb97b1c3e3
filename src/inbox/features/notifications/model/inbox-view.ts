import { compareListed, compareNewestFirst, type Notification } from './notification.ts';
import { combineCounts, countNotifications, zeroCounts, countsAfterBulk } from './notification-counts.ts';
import type { NotificationCounts } from './notification-counts.ts';
import {
  coveringFilters,
  encodeFilter,
  inboxTabs,
  listsUnread,
  matchesFilter,
} from './notification-filter.ts';
import type { InboxTab, NotificationFilter } from './notification-filter.ts';
import { applyOperations } from './notification-operation.ts';
import type { ListWindow } from './list-window.ts';
import type { NotificationsState } from './state-types.ts';

/** One filter's shown list: the server's rows with the pending operations applied. */
export interface InboxView {
  readonly filter: NotificationFilter;
  /** Newest first. */
  readonly notifications: readonly Notification[];
  /** Whether the list was read or restored. */
  readonly isLoaded: boolean;
  /** Whether older notifications may exist that were not read yet. */
  readonly hasMore: boolean;
  /** Identifies the last change since which the results of a search may be outdated; null: they are not. */
  readonly outdatedBy: number | null;
}

export function selectView(state: NotificationsState, filter: NotificationFilter): InboxView {
  const window = selectWindow(state, filter);
  const changedAt = Math.max(state.resultsChangedAt, state.gapAt);
  const keepsRead = listsUnread(filter) && encodeFilter(filter) === encodeFilter(state.filter);
  // Only the server knows what a search finds.
  const isUnknown = window === null && Boolean(filter.query);
  const shown = overlay(state).filter(
    (notification) =>
      !isUnknown &&
      isInWindow(notification, window) &&
      (matchesFilter(notification, filter) ||
        (keepsRead && notification.status === 'read' && isKept(state, notification))),
  );
  return {
    filter,
    notifications: shown.sort(filter.tab === 'snoozed' ? compareReturn : compareListed),
    isLoaded: window !== null,
    hasMore: window !== null && !window.isComplete,
    outdatedBy: window?.ids && changedAt > window.readAt ? changedAt : null,
  };
}

/**
 * Whether the row is in the part of the list that was read, or is listed regardless of its age, because it is or was snoozed.
 */
function isInWindow(row: Notification, window: ListWindow | null): boolean {
  if (window?.ids) return window.ids.has(row.id);
  if (!window || window.isComplete || !window.end || row.snoozedUntilMs !== null) return true;
  return compareNewestFirst(row, window.end) <= 0;
}

/** Orders by the time of return, the next one first. */
function compareReturn(one: Notification, other: Notification): number {
  return (one.snoozedUntilMs ?? 0) - (other.snoozedUntilMs ?? 0) || compareNewestFirst(one, other);
}

/** The window of the filter's list: its own, or that of a list that contains it. */
export function selectWindow(state: NotificationsState, filter: NotificationFilter): ListWindow | null {
  const windows = coveringFilters(filter).map((covering) => state.windows[encodeFilter(covering)]);
  return windows.find((window) => window?.isComplete) ?? windows.find(Boolean) ?? null;
}

/**
 * The one source of every count. Loaded rows are counted here and the server's totals cover the rest, so a number never
 * contradicts the list beside it.
 */
export function selectCounts(state: NotificationsState): NotificationCounts {
  const loaded = countLoaded(state.rows);
  const inside = state.operations.length === 0 ? loaded : countNotifications(overlay(state));
  if (!state.totals) return inside;
  let outside = withoutWholeLists(state, combineCounts(state.totals, loaded, -1));
  for (const operation of state.operations) outside = countsAfterBulk(outside, operation);
  return combineCounts(inside, outside);
}

/** A list that is loaded to its end has no rows outside, regardless of stale totals. */
function withoutWholeLists(state: NotificationsState, outside: NotificationCounts): NotificationCounts {
  const isWhole = (tab: InboxTab) => selectWindow(state, { tab, kind: null })?.isComplete ?? false;
  const whole = Object.fromEntries(inboxTabs.filter(isWhole).map((tab) => [tab, 0]));
  return { ...outside, ...whole, kinds: isWhole('unread') ? zeroCounts.kinds : outside.kinds };
}

const loadedCounts = new WeakMap<NotificationsState['rows'], NotificationCounts>();

/** Counts the loaded rows, once per version of them. */
function countLoaded(rows: NotificationsState['rows']): NotificationCounts {
  let counts = loadedCounts.get(rows);
  if (!counts) loadedCounts.set(rows, (counts = countNotifications(rows.values())));
  return counts;
}

function overlay({ rows, operations }: NotificationsState): Notification[] {
  if (operations.length === 0) return [...rows.values()];
  return [...rows.values()].flatMap((row) => applyOperations(row, operations) ?? []);
}

function isKept({ kept, filter }: NotificationsState, row: Notification): boolean {
  return kept.has(row.id) && matchesFilter({ ...row, status: 'unread' }, filter);
}

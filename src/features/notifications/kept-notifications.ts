import { compareNewestFirst } from './notification.ts';
import { everything, filterKey, matchesFilter } from './notification-filter.ts';
import type { KeptNotifications, NotificationsState } from './notifications-state.ts';

/** As much as fills the first screens of the next visit. */
const longest = 60;

/** What to keep for the next visit: the head of the whole list, small whatever the size of the inbox. */
export function keepNotifications(state: NotificationsState): KeptNotifications {
  const key = filterKey(everything);
  const window = state.windows[key];
  const rows = window ? [...state.rows.values()].filter((row) => matchesFilter(row, everything)) : [];
  const listed = rows
    .filter((row) => !window?.end || window.isComplete || compareNewestFirst(row, window.end) <= 0)
    .sort(compareNewestFirst);
  const kept = listed.slice(0, longest);
  const last = kept.at(-1);
  const isWhole = kept.length === listed.length;
  return {
    rows: new Map(kept.map((row) => [row.id, row])),
    windows: window ? { [key]: isWhole || !last ? window : { end: cursorOf(last), isComplete: false } } : {},
    totals: state.totals,
  };
}

function cursorOf({ id, createdAt, createdAtMs }: { id: string; createdAt: string; createdAtMs: number }) {
  return { id, createdAt, createdAtMs };
}

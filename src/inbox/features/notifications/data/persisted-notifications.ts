import { compareNewestFirst, cursorOf } from '../model/notification.ts';
import { encodeFilter, unfiltered } from '../model/notification-filter.ts';
import { windowCovers } from '../model/list-window.ts';
import type { PersistedNotifications, NotificationsState } from '../model/state-types.ts';

/** Maximum number of persisted rows: enough for the first screens of the next visit. */
const maxRows = 60;

/** Selects what is persisted for the next visit: the head of the whole list, so that its size does not grow with the inbox. */
export function selectPersistedNotifications(state: NotificationsState): PersistedNotifications {
  const { rows, windows, totals } = state;
  const key = encodeFilter(unfiltered);
  const window = windows[key];
  if (!window) return { rows: new Map(), windows: {}, totals };
  const listed = [...rows.values()].filter((row) => windowCovers(window, row)).sort(compareNewestFirst);
  const kept = listed.slice(0, maxRows);
  const last = kept.at(-1);
  const isCut = last !== undefined && kept.length < listed.length;
  return {
    rows: new Map(kept.map((row) => [row.id, row])),
    windows: {
      [key]: { ...window, readAt: -1, ...(isCut && { end: cursorOf(last), isComplete: false }) },
    },
    totals,
  };
}

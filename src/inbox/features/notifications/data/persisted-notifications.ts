import { compareNewestFirst } from '../model/notification.ts';
import { filterKey, needed, unfiltered } from '../model/notification-filter.ts';
import { windowCovers } from '../model/list-window.ts';
import type { PersistedNotifications, NotificationsState } from '../model/state-types.ts';

/** Most rows that are persisted: enough for the first screens of the next visit. */
const maxRows = 60;

/** Selects what is persisted for the next visit: the head of the whole list, so that its size does not grow with the inbox. */
export function selectPersistedNotifications({
  rows,
  windows,
  totals,
}: NotificationsState): PersistedNotifications {
  const key = filterKey(unfiltered);
  const window = windows[key];
  if (!window) return { rows: new Map(), windows: {}, totals };
  const listed = [...rows.values()].filter((row) => windowCovers(window, row)).sort(compareNewestFirst);
  const kept = listed.slice(0, maxRows);
  const early = windows[filterKey(needed)];
  const lifted = early ? [...rows.values()].filter((row) => windowCovers(early, row)) : [];
  const last = kept.at(-1);
  const isCut = last !== undefined && kept.length < listed.length;
  return {
    rows: new Map([...kept, ...lifted].map((row) => [row.id, row])),
    windows: {
      ...(early && { [filterKey(needed)]: { ...early, readAt: -1 } }),
      [key]: isCut
        ? {
            filter: unfiltered,
            end: { id: last.id, createdAt: last.createdAt, createdAtMs: last.createdAtMs },
            isComplete: false,
            ids: null,
            readAt: -1,
          }
        : { ...window, readAt: -1 },
    },
    totals,
  };
}

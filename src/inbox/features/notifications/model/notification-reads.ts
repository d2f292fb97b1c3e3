import { mergeRead } from 'supabase-protocol-clients/realtime-client/live-query';
import { windowCovers, withoutSearchWindows, type ListWindow } from './list-window.ts';
import { applyChanges, isOutdated } from './notification-updates.ts';
import { compareNewestFirst, cursorOf, type Notification } from './notification.ts';
import { encodeFilter, matchesFilter, unfiltered } from './notification-filter.ts';
import type { NotificationsEvent, NotificationsState } from './state-types.ts';

/**
 * Applies the server's changes since an earlier response. Its totals win. Rows outside the loaded windows are evicted,
 * because they are known only by live changes, some of which may be missing.
 */
export function applySync(
  state: NotificationsState,
  { changes, totals, asOf: totalsAsOf, since, isReset }: Extract<NotificationsEvent, { type: 'synced' }>,
): NotificationsState {
  // A row may have changed during the request; compare before a reset evicts it.
  const fresh = changes.filter((change) => {
    if (change.type === 'remove') return true;
    const known = state.rows.get(change.notification.id);
    return !known || !isOutdated(change.notification, known);
  });
  const synced = applyChanges(isReset ? evictUncovered(markGap(state)) : state, fresh);
  const areTotalsStale = state.sequence > since;
  const counted = { ...synced, totals, totalsAsOf, areTotalsStale };
  if (areTotalsStale) return counted;
  // A row that changed during a read stays: a later page would treat its absence as a deletion.
  const isListed = (row: Notification) =>
    row.snoozedUntilMs !== null ||
    synced.kept.has(row.id) ||
    synced.touched.has(row.id) ||
    Object.values(synced.windows).some((window) => windowCovers(window, row));
  const rows = new Map([...synced.rows].filter(([, row]) => isListed(row)));
  return rows.size < synced.rows.size ? { ...counted, rows } : counted;
}

/** Applies a page of a list: its rows, the end of the window, and the absence of rows that the page should contain. */
export function applyPage(
  state: NotificationsState,
  { filter, after, rows: page, isLast, since }: Extract<NotificationsEvent, { type: 'page' }>,
): NotificationsState {
  // The head of a list is read again after a gap; until then an outdated one is better than none.
  if (after && since < state.gapAt) return state;
  const last = page.at(-1) ?? after;
  const end = last && cursorOf(last);
  const { [encodeFilter(filter)]: replaced, ...earlier } = state.windows;
  const others = filter.query ? withoutSearchWindows(earlier) : earlier;
  const found = page.filter(({ id }) => !state.deleted.has(id));
  const ids = filter.query
    ? new Set([...((after && replaced?.ids) ?? []), ...page.map(({ id }) => id)])
    : null;
  const window: ListWindow = { filter, end, isComplete: isLast, ids, readAt: since };
  const isElsewhere = (row: Notification) => Object.values(others).some((other) => windowCovers(other, row));
  const rows = mergeRead(state, {
    rows: new Map(found.map((row) => [row.id, row])),
    since,
    isOlder: isOutdated,
    covers(_id, row) {
      const isBefore = after !== null && compareNewestFirst(row, after) <= 0;
      // The absence of a row from the results of a search does not mean that it was deleted.
      if (ids || isBefore || !matchesFilter(row, filter)) return false;
      // Deleted, or older than the loaded window: drop it in both cases. A returned row may be far older.
      return windowCovers(window, row) || (!isElsewhere(row) && row.snoozedUntilMs === null);
    },
  });
  return { ...state, rows, windows: { ...others, [encodeFilter(filter)]: window } };
}

/** Changes may have been missed: reads that began before are outdated. */
export function markGap(state: NotificationsState): NotificationsState {
  const sequence = state.sequence + 1;
  return { ...state, areTotalsStale: true, sequence, gapAt: sequence };
}

/**
 * Keeps the whole and the shown list, which the next read covers, and rows that changed during a read, because its page would
 * treat their absence as a deletion. The rest may be outdated.
 */
function evictUncovered(state: NotificationsState): NotificationsState {
  const keys = new Set([encodeFilter(unfiltered), encodeFilter(state.filter)]);
  const windows = Object.fromEntries(Object.entries(state.windows).filter(([key]) => keys.has(key)));
  const isCovered = (row: Notification) =>
    state.touched.has(row.id) || Object.values(windows).some((window) => windowCovers(window, row));
  return { ...state, rows: new Map([...state.rows].filter(([, row]) => isCovered(row))), windows };
}

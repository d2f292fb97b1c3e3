import { windowCovers, withoutSearchWindows, type ListWindow } from './list-window.ts';
import { applyChanges, isOutdated } from './notification-updates.ts';
import { compareNewestFirst, cursorOf, type Notification } from './notification.ts';
import { encodeFilter, matchesFilter } from './notification-filter.ts';
import type { NotificationsEvent, NotificationsState } from './state-types.ts';

/**
 * Applies the server's changes since an earlier answer. Its totals win: rows outside the loaded windows are
 * known by live changes alone, of which some may be missing, so they are evicted.
 */
export function applySync(
  state: NotificationsState,
  { changes, totals, asOf: totalsAsOf, since }: Extract<NotificationsEvent, { type: 'synced' }>,
): NotificationsState {
  const synced = applyChanges(state, changes);
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
  const rows = new Map(state.rows);
  const last = page.at(-1) ?? after;
  const end = last && cursorOf(last);
  const { [encodeFilter(filter)]: replaced, ...earlier } = state.windows;
  const others = filter.query ? withoutSearchWindows(earlier) : earlier;
  const listed = new Set(page.map(({ id }) => id));
  const ids = filter.query ? new Set([...((after && replaced?.ids) ?? []), ...listed]) : null;
  const window: ListWindow = { filter, end, isComplete: isLast, ids, readAt: since };
  const isNewer = (id: string) => (state.touched.get(id) ?? -1) > since;
  const isElsewhere = (row: Notification) => Object.values(others).some((other) => windowCovers(other, row));
  // The absence of a row from the results of a search does not mean that it was deleted.
  for (const row of ids ? [] : state.rows.values()) {
    const isBefore = after !== null && compareNewestFirst(row, after) <= 0;
    if (isBefore || !matchesFilter(row, filter) || listed.has(row.id) || isNewer(row.id)) continue;
    // Deleted, or older than the loaded window: drop it in both cases. A returned row may be far older.
    if (windowCovers(window, row) || (!isElsewhere(row) && row.snoozedUntilMs === null)) rows.delete(row.id);
  }
  for (const row of page) {
    if (state.deleted.has(row.id)) continue;
    const known = state.rows.get(row.id);
    // A row that changed meanwhile is replaced by a newer version only; one that is unknown left every list meanwhile.
    const replaces = isNewer(row.id)
      ? known !== undefined && isOutdated(known, row)
      : known === undefined || !isOutdated(row, known);
    if (replaces) rows.set(row.id, row);
  }
  return { ...state, rows, windows: { ...others, [encodeFilter(filter)]: window } };
}

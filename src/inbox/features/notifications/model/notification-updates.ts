import { changeRows } from 'supabase-protocol-clients/realtime-client/live-query';
import { windowCovers } from './list-window.ts';
import { combineCounts, countNotifications, countsAfterBulk } from './notification-counts.ts';
import type { NotificationCounts } from './notification-counts.ts';
import { applyOperations, includesId, isBulk, type NotificationOperation } from './notification-operation.ts';
import type { Notification } from './notification.ts';
import type { NotificationChange, NotificationsState } from './state-types.ts';

/** Changes of the rows, which adjust the totals. */
function editRows(state: NotificationsState) {
  const changes = new Map<string, Notification | null>();
  const deleted = new Set(state.deleted);
  const before: Notification[] = [];
  const after: Notification[] = [];
  const find = (id: string) => (changes.has(id) ? changes.get(id) : state.rows.get(id)) ?? undefined;
  return {
    find,
    deleted,
    /** Replaces a row; null deletes it. `isCounted`: the totals count the new version already. */
    replace(id: string, next: Notification | null, isCounted = false) {
      const known = find(id);
      if (known && !isCounted) before.push(known);
      if (next && !isCounted) after.push(next);
      if (!next) deleted.add(id);
      changes.set(id, next);
    },
    finish(): NotificationsState {
      const totals = adjust(state.totals, before, after);
      return { ...changeRows(state, changes), deleted, totals };
    },
  };
}

/** Applies live changes and adjusts the totals by them. */
export function applyChanges(
  state: NotificationsState,
  changes: readonly NotificationChange[],
): NotificationsState {
  const { find, deleted, replace, finish } = editRows(state);
  let { areTotalsStale } = state;
  for (const change of changes) {
    const next = change.type === 'remove' ? null : change.notification;
    const id = change.type === 'remove' ? change.id : change.notification.id;
    if (deleted.has(id)) continue;
    const known = find(id);
    if (next && known && isOutdated(next, known)) continue;
    // Without the earlier status of the row the totals cannot be adjusted.
    if (!known && change.type !== 'insert') areTotalsStale = true;
    // A bulk change touches more rows than the page shows: those outside of every window are not kept.
    if (!known && change.type === 'update' && !isWanted(state, change.notification)) continue;
    replace(id, next, next !== null && isCountedIn(state, next));
  }
  return { ...finish(), areTotalsStale };
}

/**
 * Whether an unknown row belongs to the state: it is or was snoozed, a window covers it, or a read in flight may bring an
 * older version of it.
 */
function isWanted(state: NotificationsState, row: Notification): boolean {
  return (
    row.snoozedUntilMs !== null ||
    state.readsInFlight > 0 ||
    Object.values(state.windows).some((window) => windowCovers(window, row))
  );
}

function isCountedIn({ totalsAsOf }: NotificationsState, { version }: Notification): boolean {
  return totalsAsOf !== null && version !== null && version <= totalsAsOf;
}

/** Confirms an operation: applies it to the rows, or the rows of the response. */
export function confirmOperation(
  state: NotificationsState,
  operationId: string,
  current: readonly Notification[] | undefined,
): NotificationsState {
  const operation = state.operations.find(({ id }) => id === operationId);
  if (!operation) return state;
  const { deleted, replace, finish } = editRows(state);
  const currentById = new Map(current?.map((row) => [row.id, row]));
  // A deleted row may be unknown, because its insert is still in transit; a row in the response was not deleted.
  for (const id of operation.type === 'remove' ? operation.ids : [])
    if (!currentById.has(id)) deleted.add(id);
  for (const row of state.rows.values()) {
    const fresh = currentById.get(row.id);
    const isDeleted = current && 'ids' in operation && includesId(operation, row.id);
    const next = fresh ?? (isDeleted ? null : applyOperations(row, [operation]));
    if (fresh ? !isOutdated(fresh, row) : next !== row) replace(row.id, next);
  }
  const confirmed = finish();
  return {
    ...confirmed,
    operations: state.operations.filter(({ id }) => id !== operationId),
    ...(isBulk(operation) && {
      totals: adjustToBulk(state, confirmed.rows.values(), operation),
      areTotalsStale: true,
    }),
  };
}

function adjust(
  totals: NotificationCounts | null,
  before: readonly Notification[],
  after: readonly Notification[],
): NotificationCounts | null {
  return (
    totals && combineCounts(combineCounts(totals, countNotifications(after)), countNotifications(before), -1)
  );
}

/** Adjusts the totals to a bulk action, which also changes rows outside the loaded windows. */
function adjustToBulk(
  { totals, rows }: NotificationsState,
  after: Iterable<Notification>,
  operation: NotificationOperation,
): NotificationCounts | null {
  if (!totals) return null;
  const outside = combineCounts(totals, countNotifications(rows.values()), -1);
  return combineCounts(countsAfterBulk(outside, operation), countNotifications(after));
}

/** Without versions the row that arrives later wins. */
export function isOutdated(row: Notification, known: Notification): boolean {
  return row.version !== null && known.version !== null && row.version < known.version;
}

export function returnDueSnoozed(state: NotificationsState, nowMs: number): NotificationsState {
  const due = [...state.rows.values()].filter(
    ({ isSnoozed, snoozedUntilMs }) => isSnoozed && snoozedUntilMs !== null && snoozedUntilMs <= nowMs,
  );
  if (due.length === 0) return state;
  const { replace, finish } = editRows(state);
  for (const row of due) replace(row.id, { ...row, isSnoozed: false });
  return { ...finish(), areTotalsStale: true };
}

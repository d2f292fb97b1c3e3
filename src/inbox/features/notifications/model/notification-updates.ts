import { windowCovers } from './list-window.ts';
import { combineCounts, countNotifications, countsAfterBulk } from './notification-counts.ts';
import type { NotificationCounts } from './notification-counts.ts';
import { applyOperations, includesId, isBulk } from './notification-operation.ts';
import type { NotificationOperation } from './notification-operation.ts';
import type { Notification } from './notification.ts';
import type { NotificationChange, NotificationsState } from './state-types.ts';

/** Applies live changes and adjusts the totals by them. */
export function applyChanges(
  state: NotificationsState,
  changes: readonly NotificationChange[],
): NotificationsState {
  const rows = new Map(state.rows);
  const touched = new Map(state.touched);
  const deleted = new Set(state.deleted);
  const before: Notification[] = [];
  const after: Notification[] = [];
  const sequence = state.sequence + 1;
  let { areTotalsStale } = state;
  for (const change of changes) {
    const id = change.type === 'remove' ? change.id : change.notification.id;
    if (deleted.has(id)) continue;
    const known = rows.get(id);
    if (change.type !== 'remove' && known && isOutdated(change.notification, known)) continue;
    // Without the earlier status of the row the totals cannot be adjusted.
    if (!known && change.type !== 'insert') areTotalsStale = true;
    // A bulk change touches more rows than the page shows: those outside of every window are not kept.
    if (!known && change.type === 'update' && !isWanted(state, change.notification)) continue;
    const isCounted = change.type !== 'remove' && isCountedIn(state, change.notification);
    if (known && !isCounted) before.push(known);
    if (change.type === 'remove') {
      rows.delete(id);
      deleted.add(id);
    } else {
      rows.set(id, change.notification);
      if (!isCounted) after.push(change.notification);
    }
    if (state.readsInFlight > 0) touched.set(id, sequence);
  }
  const totals = adjust(state.totals, before, after);
  return { ...state, rows, touched, deleted, sequence, areTotalsStale, totals };
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

/** Whether the totals count this version of the row already. */
function isCountedIn({ totalsAsOf }: NotificationsState, { version }: Notification): boolean {
  return totalsAsOf !== null && version !== null && version <= totalsAsOf;
}

/** Confirms an operation: applies it to the rows, or the rows of the answer. */
export function confirmOperation(
  state: NotificationsState,
  operationId: string,
  answered: readonly Notification[] | undefined,
): NotificationsState {
  const operation = state.operations.find(({ id }) => id === operationId);
  if (!operation) return state;
  const rows = new Map(state.rows);
  const before: Notification[] = [];
  const after: Notification[] = [];
  const sequence = state.sequence + 1;
  const touched = new Map(state.touched);
  const answers = new Map(answered?.map((row) => [row.id, row]));
  // A deleted row may be unknown here, because its arrival is still on its way; one that was answered was not deleted.
  const removed = operation.type === 'remove' ? operation.ids.filter((id) => !answers.has(id)) : [];
  const deleted = new Set([...state.deleted, ...removed]);
  const replace = (old: Notification, next: Notification | null) => {
    if (state.readsInFlight > 0) touched.set(old.id, sequence);
    before.push(old);
    if (next) after.push(next);
    if (next) {
      rows.set(old.id, next);
      return;
    }
    rows.delete(old.id);
    deleted.add(old.id);
  };
  for (const row of state.rows.values()) {
    const answer = answers.get(row.id);
    if (answer) {
      if (!isOutdated(answer, row)) replace(row, answer);
      continue;
    }
    const isDeleted = answered && 'ids' in operation && includesId(operation, row.id);
    const next = isDeleted ? null : applyOperations(row, [operation]);
    if (next !== row) replace(row, next);
  }
  return {
    ...state,
    rows,
    sequence,
    touched,
    deleted,
    operations: state.operations.filter(({ id }) => id !== operationId),
    totals: isBulk(operation)
      ? adjustToBulk(state, rows.values(), operation)
      : adjust(state.totals, before, after),
    areTotalsStale: state.areTotalsStale || isBulk(operation),
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

/** Returns the snoozed notifications that are due. */
export function returnDueSnoozed(state: NotificationsState, nowMs: number): NotificationsState {
  const due = [...state.rows.values()].filter(
    ({ isSnoozed, snoozedUntilMs }) => isSnoozed && snoozedUntilMs !== null && snoozedUntilMs <= nowMs,
  );
  if (due.length === 0) return state;
  const returned = due.map((row) => ({ ...row, isSnoozed: false }));
  return {
    ...state,
    rows: new Map([...state.rows, ...returned.map((row) => [row.id, row] as const)]),
    sequence: state.sequence + 1,
    areTotalsStale: true,
    totals: adjust(state.totals, due, returned),
  };
}

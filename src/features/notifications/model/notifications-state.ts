import { compareNewestFirst } from './notification.ts';
import type { Notification } from './notification.ts';
import { combineCounts, countNotifications, withoutBulk } from './notification-counts.ts';
import type { NotificationCounts } from './notification-counts.ts';
import { everything, filterKey, matchesFilter } from './notification-filter.ts';
import type { NotificationFilter } from './notification-filter.ts';
import { applyOperations, isBulk } from './notification-operation.ts';
import type { NotificationOperation } from './notification-operation.ts';

/** The keyset position at which a read of a list ended. */
export type Cursor = Pick<Notification, 'id' | 'createdAt' | 'createdAtMs'>;

export interface ListWindow {
  readonly filter: NotificationFilter;
  /** The oldest notification that was read. */
  readonly end: Cursor | null;
  /** Whether nothing older exists. */
  readonly isComplete: boolean;
  /** The results of a search, which only the server can tell; null: all rows between the first and the end. */
  readonly ids: ReadonlySet<string> | null;
  /** The sequence number at which its reading began. */
  readonly readAt: number;
}

export interface NotificationsState {
  /** The server's rows, as far as they are loaded. */
  readonly rows: ReadonlyMap<string, Notification>;
  /** How far each filter's list has been read, by `filterKey`. */
  readonly windows: Readonly<Record<string, ListWindow>>;
  /** The server's own counts; null before the first answer. */
  readonly totals: NotificationCounts | null;
  /** The server's time of the totals: a row of this version or an older one is counted in them. null: unknown. */
  readonly totalsAsOf: string | null;
  /** Whether an event changed the totals by an unknown amount, so that they must be read again. */
  readonly areTotalsStale: boolean;
  /** Operations that the server has not confirmed, oldest first. */
  readonly operations: readonly NotificationOperation[];
  readonly filter: NotificationFilter;
  /** Ids that were read while "Unread" is shown; they stay listed until the filter changes. */
  readonly kept: ReadonlySet<string>;
  /** Grows with every live change, so that a read can tell which changes arrived during it. */
  readonly sequence: number;
  /** The sequence of the last gap: reads in flight at that time may be stale. */
  readonly gapAt: number;
  readonly readsUnderWay: number;
  /** The sequence of the last live change per id; recorded only while a read is in flight. */
  readonly touched: ReadonlyMap<string, number>;
}

export type NotificationChange =
  | { readonly type: 'insert' | 'update'; readonly notification: Notification }
  | { readonly type: 'remove'; readonly id: string };

export type NotificationsEvent =
  | { readonly type: 'read-started' | 'read-ended' }
  /** The persisted list of an earlier visit; ignored once a list was read. */
  | { readonly type: 'restored'; readonly kept: KeptNotifications }
  | {
      readonly type: 'page';
      readonly filter: NotificationFilter;
      /** The page follows this one; null: it is the head of the list. */
      readonly after: Cursor | null;
      readonly rows: readonly Notification[];
      readonly isLast: boolean;
      /** `sequence` when the read began. */
      readonly since: number;
    }
  /** What changed since an earlier answer, with the totals of the same moment. `since`: `sequence` when the request began. */
  | {
      readonly type: 'synced';
      readonly changes: readonly NotificationChange[];
      readonly totals: NotificationCounts;
      /** The server's time of the totals; null: unknown. */
      readonly asOf: string | null;
      readonly since: number;
    }
  | { readonly type: 'changes'; readonly changes: readonly NotificationChange[] }
  | { readonly type: 'started'; readonly operation: NotificationOperation }
  /** Confirmed. `rows` is the server's answer where it has one; a row missing from it was deleted. */
  | { readonly type: 'done'; readonly id: string; readonly rows?: readonly Notification[] }
  /** Failed or undone: the list shows its earlier state again. */
  | { readonly type: 'dropped'; readonly id: string }
  | { readonly type: 'filtered'; readonly filter: NotificationFilter }
  /** Time has passed: snoozed notifications that are due return to the inbox. */
  | { readonly type: 'woken'; readonly nowMs: number }
  /** Changes may have been missed: pages whose reading began before are outdated. */
  | { readonly type: 'gap' }
  /** Changes are missing for good: everything that is not about to be read again is evicted. */
  | { readonly type: 'reset' };

/** The part that is persisted. */
export type KeptNotifications = Pick<NotificationsState, 'rows' | 'windows' | 'totals'>;

export const emptyState: NotificationsState = {
  rows: new Map(),
  windows: {},
  totals: null,
  totalsAsOf: null,
  areTotalsStale: true,
  operations: [],
  filter: everything,
  kept: new Set(),
  sequence: 0,
  gapAt: 0,
  readsUnderWay: 0,
  touched: new Map(),
};

/** Idempotent for what is shown: applying an event twice, or a change that the state already has, alters nothing. */
export function step(state: NotificationsState, event: NotificationsEvent): NotificationsState {
  return keepRead(reduce(state, event));
}

function reduce(state: NotificationsState, event: NotificationsEvent): NotificationsState {
  switch (event.type) {
    case 'read-started':
      return { ...state, readsUnderWay: state.readsUnderWay + 1 };
    case 'read-ended': {
      const readsUnderWay = state.readsUnderWay - 1;
      return { ...state, readsUnderWay, touched: readsUnderWay > 0 ? state.touched : emptyState.touched };
    }
    case 'restored':
      return Object.keys(state.windows).length > 0
        ? state
        : { ...state, ...event.kept, rows: new Map([...event.kept.rows, ...state.rows]) };
    case 'page':
      return applyPage(state, event);
    case 'synced':
      return applySync(state, event);
    case 'changes':
      return applyChanges(state, event.changes);
    case 'started':
      return { ...state, operations: [...state.operations, event.operation] };
    case 'done':
      return finish(state, event.id, event.rows);
    case 'dropped':
      return { ...state, operations: state.operations.filter(({ id }) => id !== event.id) };
    case 'filtered':
      return filterKey(event.filter) === filterKey(state.filter)
        ? state
        : {
            ...state,
            filter: event.filter,
            kept: emptyState.kept,
            // A search keeps the results of the one before until its own arrive.
            windows: event.filter.query ? state.windows : withoutSearches(state.windows),
          };
    case 'woken':
      return wake(state, event.nowMs);
    case 'gap':
      return markGap(state);
    case 'reset':
      return evictUncovered(markGap(state));
  }
}

function markGap(state: NotificationsState): NotificationsState {
  const sequence = state.sequence + 1;
  return { ...state, areTotalsStale: true, sequence, gapAt: sequence };
}

/** Keeps what the next read covers: the whole list and the one that is shown. The rest may be outdated. */
function evictUncovered(state: NotificationsState): NotificationsState {
  const keys = new Set([filterKey(everything), filterKey(state.filter)]);
  const windows = Object.fromEntries(Object.entries(state.windows).filter(([key]) => keys.has(key)));
  const isCovered = (row: Notification) => Object.values(windows).some((window) => covers(window, row));
  return {
    ...state,
    rows: new Map([...state.rows].filter(([, row]) => isCovered(row))),
    windows,
  };
}

/** Whether the row is in the part of the list that was read. */
export function covers({ filter, end, isComplete, ids }: ListWindow, row: Notification): boolean {
  if (!matchesFilter(row, filter)) return false;
  return ids ? ids.has(row.id) : isComplete || !end || compareNewestFirst(row, end) <= 0;
}

function withoutSearches(windows: NotificationsState['windows']): NotificationsState['windows'] {
  return Object.fromEntries(Object.entries(windows).filter(([, { ids }]) => ids === null));
}

/** Returns the snoozed notifications that are due. */
function wake(state: NotificationsState, nowMs: number): NotificationsState {
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

/**
 * Applies the server's changes since an earlier answer. Its totals win: rows outside the loaded windows are
 * known by live changes alone, of which some may be missing, so they are evicted.
 */
function applySync(
  state: NotificationsState,
  { changes, totals, asOf: totalsAsOf, since }: Extract<NotificationsEvent, { type: 'synced' }>,
): NotificationsState {
  const synced = applyChanges(state, changes);
  const areTotalsStale = state.sequence > since;
  if (areTotalsStale) return { ...synced, totals, totalsAsOf, areTotalsStale };
  // A row that changed during a read stays: a page that lands later takes its absence for a deletion.
  const isListed = (row: Notification) =>
    row.snoozedUntilMs !== null ||
    synced.kept.has(row.id) ||
    synced.touched.has(row.id) ||
    Object.values(synced.windows).some((window) => covers(window, row));
  const rows = new Map([...synced.rows].filter(([, row]) => isListed(row)));
  return {
    ...synced,
    rows: rows.size < synced.rows.size ? rows : synced.rows,
    totals,
    totalsAsOf,
    areTotalsStale,
  };
}

function applyPage(
  state: NotificationsState,
  { filter, after, rows: page, isLast, since }: Extract<NotificationsEvent, { type: 'page' }>,
): NotificationsState {
  // The head of a list is read again after a gap; until then an outdated one is better than none.
  if (after && since < state.gapAt) return state;
  const rows = new Map(state.rows);
  const last = page.at(-1) ?? after;
  const end = last && { id: last.id, createdAt: last.createdAt, createdAtMs: last.createdAtMs };
  const { [filterKey(filter)]: replaced, ...earlier } = state.windows;
  const others = filter.query ? withoutSearches(earlier) : earlier;
  const listed = new Set(page.map(({ id }) => id));
  const ids = filter.query ? new Set([...((after && replaced?.ids) ?? []), ...listed]) : null;
  const window: ListWindow = { filter, end, isComplete: isLast, ids, readAt: since };
  const isNewer = (id: string) => (state.touched.get(id) ?? -1) > since;
  const isElsewhere = (row: Notification) => Object.values(others).some((other) => covers(other, row));
  // The absence of a row from the results of a search tells nothing about the row.
  for (const row of ids ? [] : state.rows.values()) {
    const isBefore = after !== null && compareNewestFirst(row, after) <= 0;
    if (isBefore || !matchesFilter(row, filter) || listed.has(row.id) || isNewer(row.id)) continue;
    // Deleted, or older than the loaded window: drop it in both cases. A returned row may be far older.
    if (covers(window, row) || (!isElsewhere(row) && row.snoozedUntilMs === null)) rows.delete(row.id);
  }
  for (const row of page) {
    const known = state.rows.get(row.id);
    // A row that changed meanwhile is replaced by a newer version only; one that is unknown was deleted meanwhile.
    const isNews = isNewer(row.id)
      ? known !== undefined && isOutdated(known, row)
      : known === undefined || !isOutdated(row, known);
    if (isNews) rows.set(row.id, row);
  }
  return { ...state, rows, windows: { ...others, [filterKey(filter)]: window } };
}

function applyChanges(state: NotificationsState, changes: readonly NotificationChange[]): NotificationsState {
  const rows = new Map(state.rows);
  const touched = new Map(state.touched);
  const [before, after]: [Notification[], Notification[]] = [[], []];
  const sequence = state.sequence + 1;
  let { areTotalsStale } = state;
  for (const change of changes) {
    const id = change.type === 'remove' ? change.id : change.notification.id;
    const known = rows.get(id);
    if (change.type !== 'remove' && known && isOutdated(change.notification, known)) continue;
    // The old status of an unknown row is unknown.
    if (!known && change.type !== 'insert') areTotalsStale = true;
    // A bulk change touches more rows than the page shows: those outside of every window are not kept.
    if (!known && change.type === 'update' && !isWanted(state, change.notification)) continue;
    const isCounted = change.type !== 'remove' && isCountedIn(state, change.notification);
    if (known && !isCounted) before.push(known);
    if (change.type === 'remove') rows.delete(id);
    else {
      rows.set(id, change.notification);
      if (!isCounted) after.push(change.notification);
    }
    if (state.readsUnderWay > 0) touched.set(id, sequence);
  }
  return { ...state, rows, touched, sequence, areTotalsStale, totals: adjust(state.totals, before, after) };
}

/** Whether an unknown row belongs to the state: it is or was snoozed, a window covers it, or a read in flight may bring an older version of it. */
function isWanted(state: NotificationsState, row: Notification): boolean {
  return (
    row.snoozedUntilMs !== null ||
    state.readsUnderWay > 0 ||
    Object.values(state.windows).some((window) => covers(window, row))
  );
}

/** Whether the totals count this version of the row already. */
function isCountedIn({ totalsAsOf }: NotificationsState, { version }: Notification): boolean {
  return totalsAsOf !== null && version !== null && version <= totalsAsOf;
}

function finish(
  state: NotificationsState,
  operationId: string,
  answered: readonly Notification[] | undefined,
): NotificationsState {
  const operation = state.operations.find(({ id }) => id === operationId);
  if (!operation) return state;
  const rows = new Map(state.rows);
  const [before, after]: [Notification[], Notification[]] = [[], []];
  const sequence = state.sequence + 1;
  const touched = new Map(state.touched);
  const replace = (old: Notification, next: Notification | null) => {
    if (state.readsUnderWay > 0) touched.set(old.id, sequence);
    before.push(old);
    if (next) after.push(next);
    if (next) rows.set(old.id, next);
    else rows.delete(old.id);
  };
  for (const row of state.rows.values()) {
    const answer = answered?.find(({ id }) => id === row.id);
    if (answer) {
      if (!isOutdated(answer, row)) replace(row, answer);
      continue;
    }
    const isGone = answered && 'ids' in operation && operation.ids.includes(row.id);
    const next = isGone ? null : applyOperations(row, [operation]);
    if (next !== row) replace(row, next);
  }
  return {
    ...state,
    rows,
    sequence,
    touched,
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

/** Rows outside the loaded windows were changed too. */
function adjustToBulk(
  { totals, rows }: NotificationsState,
  after: Iterable<Notification>,
  operation: NotificationOperation,
): NotificationCounts | null {
  if (!totals) return null;
  const outside = combineCounts(totals, countNotifications(rows.values()), -1);
  return combineCounts(withoutBulk(outside, operation), countNotifications(after));
}

/** Without versions the row that arrives later wins. */
function isOutdated(row: Notification, known: Notification): boolean {
  return row.version !== null && known.version !== null && row.version < known.version;
}

function keepRead(state: NotificationsState): NotificationsState {
  if (state.filter.tab !== 'unread') return state;
  const fresh: string[] = [];
  for (const row of state.rows.values()) {
    if (state.kept.has(row.id)) continue;
    if (applyOperations(row, state.operations)?.status === 'unread') fresh.push(row.id);
  }
  return fresh.length > 0 ? { ...state, kept: new Set([...state.kept, ...fresh]) } : state;
}

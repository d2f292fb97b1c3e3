import { createListeners } from 'supabase-protocol-clients/platform';
import type { Readable } from 'supabase-protocol-clients/platform';
import { selectCounts, selectView } from '../model/inbox-view.ts';
import type { InboxView } from '../model/inbox-view.ts';
import { compareNewestFirst } from '../model/notification.ts';
import type { Notification } from '../model/notification.ts';
import type { NotificationCounts } from '../model/notification-counts.ts';
import { unfiltered, filterKey } from '../model/notification-filter.ts';
import { emptyNotificationsState } from '../model/state-types.ts';
import { step } from '../model/notifications-state.ts';
import type { NotificationChange, NotificationsEvent, NotificationsState } from '../model/state-types.ts';

/** A failed read; shown until one succeeds. */
export interface InboxProblem {
  readonly error: unknown;
}

export interface InboxStatus {
  /** Whether the list was read from the server since the page loaded; before that it may be a persisted copy. */
  readonly isVerified: boolean;
  readonly isReading: boolean;
  readonly isReadingMore: boolean;
  readonly problem: InboxProblem | null;
  readonly connection: 'connecting' | 'live' | 'lost';
}

export interface InboxSnapshot extends InboxStatus {
  /** The list of the filter in the URL. */
  readonly view: InboxView;
  /** The unfiltered list, for the bell. */
  readonly newest: InboxView;
  readonly counts: NotificationCounts;
}

export interface InboxStore extends Readable<InboxSnapshot> {
  getState(): NotificationsState;
  dispatch(event: NotificationsEvent): void;
  patch(status: Partial<InboxStatus>): void;
}

export interface InboxStoreOptions {
  /** Receives unread notifications that arrive after the first read, newest first. */
  readonly onArrival?: (notifications: readonly Notification[]) => void;
  readonly onChange?: (state: NotificationsState) => void;
}

/** What the snapshot is made of. */
const shownParts = ['rows', 'operations', 'windows', 'totals', 'filter', 'kept', 'gapAt'] as const;

/** The one state behind the page, the bell, the title and the badge. */
export function createInboxStore({ onArrival, onChange }: InboxStoreOptions = {}): InboxStore {
  const listeners = createListeners<void>();
  let state = emptyNotificationsState;
  let status: InboxStatus = {
    isVerified: false,
    isReading: false,
    isReadingMore: false,
    problem: null,
    connection: 'connecting',
  };
  let snapshot: InboxSnapshot | null = null;
  let derived: Pick<InboxSnapshot, 'view' | 'newest' | 'counts'> | null = null;

  const derive = () => {
    const view = selectView(state, state.filter);
    const newest = filterKey(view.filter) === filterKey(unfiltered) ? view : selectView(state, unfiltered);
    return { view, newest, counts: selectCounts(state) };
  };
  const emit = () => {
    snapshot = null;
    listeners.call();
  };

  return {
    subscribe: listeners.add,
    getSnapshot: () => (snapshot ??= { ...status, ...(derived ??= derive()) }),
    getState: () => state,
    dispatch(event) {
      const previous = state;
      state = step(state, event);
      if (shownParts.every((part) => state[part] === previous[part])) return;
      derived = null;
      if (state.rows !== previous.rows && status.isVerified) {
        const arrivals = selectArrivals(previous, state, event);
        if (arrivals.length > 0) onArrival?.(arrivals);
      }
      onChange?.(state);
      emit();
    },
    patch(change) {
      status = { ...status, ...change };
      emit();
    },
  };
}

/** The unread notifications that the event added, newest first. */
function selectArrivals(
  before: NotificationsState,
  after: NotificationsState,
  event: NotificationsEvent,
): readonly Notification[] {
  if (event.type === 'woken')
    return [...after.rows.values()].filter(
      (row) => row.status === 'unread' && !row.isSnoozed && before.rows.get(row.id)?.isSnoozed,
    );
  const isArrival = (row: Notification) => row.status === 'unread' && !before.rows.has(row.id);
  if (event.type === 'changes')
    return insertedRows(event.changes, after).filter(isArrival).sort(compareNewestFirst);
  const isNewer = isNewerThan(before.rows.values());
  return [...after.rows.values()].filter((row) => isArrival(row) && isNewer(row)).sort(compareNewestFirst);
}

/** Selects by the event, not by time: all rows of one statement share a time, and a long transaction writes an old one. */
function insertedRows(
  changes: readonly NotificationChange[],
  { rows }: NotificationsState,
): readonly Notification[] {
  const ids = new Set(changes.flatMap((change) => (change.type === 'insert' ? change.notification.id : [])));
  return [...ids].flatMap((id) => rows.get(id) ?? []);
}

function isNewerThan(rows: Iterable<Notification>): (row: Notification) => boolean {
  let newest: Notification | null = null;
  for (const row of rows) if (!newest || compareNewestFirst(row, newest) < 0) newest = row;
  return (row) => !newest || compareNewestFirst(row, newest) < 0;
}

import { ListenerSet } from 'supabase-protocol-clients/platform';
import type { LiveStatus } from 'supabase-protocol-clients/realtime-client/live-query';
import { selectCounts, selectView, type InboxView } from '../model/inbox-view.ts';
import { compareNewestFirst, newestOf, type Notification } from '../model/notification.ts';
import type { NotificationCounts } from '../model/notification-counts.ts';
import { unfiltered, encodeFilter } from '../model/notification-filter.ts';
import { emptyNotificationsState } from '../model/state-types.ts';
import { step } from '../model/notifications-state.ts';
import type { NotificationsEvent, NotificationsState } from '../model/state-types.ts';

export interface InboxStatus {
  /** Whether the list was read from the server since the page loaded; before that it may be a persisted copy. */
  readonly isVerified: boolean;
  /** Until when the shown list was known to be current, in epoch milliseconds; null: it was never read. */
  readonly asOfMs: number | null;
  readonly isReading: boolean;
  readonly isReadingMore: boolean;
  /** The error of a failed read, shown until one succeeds; null: none. */
  readonly problem: unknown;
  /** Whether the list is current, and why not. */
  readonly status: LiveStatus;
  /** Whether the connection is lost, or the live channel could not be loaded. */
  readonly isLost: boolean;
}

export interface InboxSnapshot extends InboxStatus {
  /** The list of the filter in the URL. */
  readonly view: InboxView;
  /** The unfiltered list, for the bell. */
  readonly newest: InboxView;
  readonly counts: NotificationCounts;
}

export type InboxStore = ReturnType<typeof createInboxStore>;

export interface InboxStoreOptions {
  /** Receives unread notifications that arrive after the first read, newest first. */
  readonly onArrival?: (notifications: readonly Notification[]) => void;
  readonly onChange?: (state: NotificationsState) => void;
}

/** The parts of the state that the snapshot depends on. */
const shownParts = ['rows', 'operations', 'windows', 'totals', 'filter', 'kept', 'gapAt'] as const;

/** The one state behind the page, the bell, the title and the badge. */
export function createInboxStore({ onArrival, onChange }: InboxStoreOptions = {}) {
  const listeners = new ListenerSet<void>();
  let state = emptyNotificationsState;
  let status: InboxStatus = {
    isVerified: false,
    asOfMs: null,
    isReading: false,
    isReadingMore: false,
    problem: null,
    status: 'stopped',
    isLost: false,
  };
  let snapshot: InboxSnapshot | null = null;
  let derived: Pick<InboxSnapshot, 'view' | 'newest' | 'counts'> | null = null;

  const derive = () => {
    const view = selectView(state, state.filter);
    const newest =
      encodeFilter(view.filter) === encodeFilter(unfiltered) ? view : selectView(state, unfiltered);
    return { view, newest, counts: selectCounts(state) };
  };
  const emit = () => {
    snapshot = null;
    listeners.call();
  };

  return {
    subscribe: (listener: () => void) => listeners.add(listener),
    getSnapshot: (): InboxSnapshot => (snapshot ??= { ...status, ...(derived ??= derive()) }),
    getState: () => state,
    dispatch(event: NotificationsEvent) {
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
    patch(change: Partial<InboxStatus>) {
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
  const arrived = [...after.rows.values()].filter(
    (row) => row.status === 'unread' && !before.rows.has(row.id),
  );
  if (event.type === 'changes') {
    // Decided by the event, not by time: all rows of one statement share a time, and a long transaction writes an old one.
    const isInserted = (id: string) =>
      event.changes.some((change) => change.type === 'insert' && change.notification.id === id);
    return arrived.filter(({ id }) => isInserted(id)).sort(compareNewestFirst);
  }
  const newest = newestOf(before.rows.values());
  return arrived.filter((row) => !newest || compareNewestFirst(row, newest) < 0).sort(compareNewestFirst);
}

import type { Unsubscribe } from '../../platform/platform.ts';
import { selectCounts, selectView } from './inbox-view.ts';
import type { InboxView } from './inbox-view.ts';
import { compareNewestFirst } from './notification.ts';
import type { Notification } from './notification.ts';
import type { NotificationCounts } from './notification-counts.ts';
import { everything, filterKey } from './notification-filter.ts';
import type { NotificationAction } from './notification-operation.ts';
import { emptyState, step } from './notifications-state.ts';
import type { NotificationsEvent, NotificationsState } from './notifications-state.ts';

/** What failed; shown until it succeeds, is retried or is dismissed. */
export type InboxProblem =
  | { readonly type: 'read'; readonly error: unknown }
  | { readonly type: 'action'; readonly error: unknown; readonly action: NotificationAction };

export interface InboxStatus {
  /** Whether the list was read from the server since the page was loaded; before that it may be an old copy. */
  readonly isVerified: boolean;
  readonly isReading: boolean;
  readonly isReadingMore: boolean;
  readonly problem: InboxProblem | null;
  readonly connection: 'connecting' | 'live' | 'lost';
}

export interface InboxSnapshot extends InboxStatus {
  /** The list of the filter in the URL. */
  readonly view: InboxView;
  /** The newest of everything, for the bell. */
  readonly newest: InboxView;
  readonly counts: NotificationCounts;
}

export interface InboxStore {
  subscribe(listener: () => void): Unsubscribe;
  getSnapshot(): InboxSnapshot;
  getState(): NotificationsState;
  dispatch(event: NotificationsEvent): void;
  patch(status: Partial<InboxStatus>): void;
}

export interface InboxStoreOptions {
  /** Told of unread notifications that came in while the reader was here, newest first. */
  readonly onArrival?: (notifications: readonly Notification[]) => void;
  readonly onChange?: (state: NotificationsState) => void;
}

/** The one state behind the page, the bell, the title and the badge. */
export function createInboxStore({ onArrival, onChange }: InboxStoreOptions = {}): InboxStore {
  const listeners = new Set<() => void>();
  let state = emptyState;
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
    const newest = filterKey(view.filter) === filterKey(everything) ? view : selectView(state, everything);
    return { view, newest, counts: selectCounts(state) };
  };
  const emit = () => {
    snapshot = null;
    for (const listener of listeners) listener();
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => (snapshot ??= { ...status, ...(derived ??= derive()) }),
    getState: () => state,
    dispatch(event) {
      const previous = state;
      state = step(state, event);
      if (state === previous) return;
      const { rows, operations, windows, totals, filter, kept } = state;
      const isSame =
        rows === previous.rows &&
        operations === previous.operations &&
        windows === previous.windows &&
        totals === previous.totals &&
        filter === previous.filter &&
        kept === previous.kept;
      if (isSame) return;
      derived = null;
      if (rows !== previous.rows && status.isVerified) reportArrivals(previous, state, onArrival);
      onChange?.(state);
      emit();
    },
    patch(change) {
      status = { ...status, ...change };
      emit();
    },
  };
}

function reportArrivals(
  before: NotificationsState,
  after: NotificationsState,
  report: InboxStoreOptions['onArrival'],
): void {
  let newest: Notification | null = null;
  for (const row of before.rows.values()) if (!newest || compareNewestFirst(row, newest) < 0) newest = row;
  const arrivals: Notification[] = [];
  for (const row of after.rows.values()) {
    const isNew = !before.rows.has(row.id) && (!newest || compareNewestFirst(row, newest) < 0);
    if (isNew && row.status === 'unread') arrivals.push(row);
  }
  if (arrivals.length > 0) report?.(arrivals.sort(compareNewestFirst));
}

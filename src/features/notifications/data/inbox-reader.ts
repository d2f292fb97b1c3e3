import type { Clock, Timer } from '../../../platform/platform.ts';
import type { InboxProblem, InboxStore } from './inbox-store.ts';
import { selectWindow } from '../model/inbox-view.ts';
import { countNotifications } from '../model/notification-counts.ts';
import { everything, filterKey, matchesFilter } from '../model/notification-filter.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationPage, NotificationsApi } from './notifications-api.ts';
import type { Cursor } from '../model/notifications-state.ts';

export const pageSize = 30;
/** As much as one read brings again; a server's usual limit is 1,000 rows. */
const longestRead = 990;
const totalsDelayMs = 300;
/** After a failure; and how long a change may lag behind a count that has seen it already. */
const totalsPauseMs = 10_000;
const changeLagMs = 2_000;

/** Brings the server's rows and counts into the store. */
export interface InboxReader {
  /** Reads again what is shown, as far as it is shown. Calls during a read lead to one more read after it. */
  refresh(): Promise<void>;
  /** Reads the list of the filter if nothing covers it yet. */
  ensure(): Promise<void>;
  loadMore(): Promise<void>;
  /** Fetches the next page without showing it. */
  prefetchMore(): void;
  /** Looks whether the totals have to be read again. Call it after changes. */
  checkTotals(changed: boolean): void;
  close(): void;
}

export interface InboxReaderOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly clock: Clock;
  /** Logs. */
  readonly report: (problem: unknown) => void;
}

interface Flight {
  readonly key: string;
  readonly since: number;
  readonly page: Promise<NotificationPage>;
}

export function createInboxReader({ api, store, clock, report }: InboxReaderOptions): InboxReader {
  let refreshing: Promise<void> | null = null;
  let isRefreshWanted = false;
  let ahead: Flight | null = null;
  let isClosed = false;
  const missing = new Set<string>();

  const begin = (filter: NotificationFilter, after: Cursor | null, limit: number): Flight => {
    const { sequence } = store.getState();
    store.dispatch({ type: 'read-started' });
    const page = api.list(filter, { after, limit });
    return { key: flightKey(filter, after), since: sequence, page };
  };
  const land = async (filter: NotificationFilter, after: Cursor | null, { page, since }: Flight) => {
    try {
      const { notifications: rows, isLast } = await page;
      if (!isClosed) store.dispatch({ type: 'page', filter, after, rows, isLast, since });
    } finally {
      store.dispatch({ type: 'read-ended' });
    }
  };
  const discardAhead = () => {
    if (!ahead) return;
    ahead = null;
    store.dispatch({ type: 'read-ended' });
  };

  const readHead = (filter: NotificationFilter) => {
    const { rows } = store.getState();
    const window = store.getState().windows[filterKey(filter)];
    const known = window ? [...rows.values()].filter((row) => matchesFilter(row, filter)).length : 0;
    const limit = Math.min(longestRead, Math.max(1, Math.ceil(known / pageSize)) * pageSize);
    return land(filter, null, begin(filter, null, limit));
  };

  /** Reads on from where a list that contains the filter's list ends. */
  const readMissing = async () => {
    const state = store.getState();
    const { filter } = state;
    const key = filterKey(filter);
    if (state.windows[key] || missing.has(key) || selectWindow(state, filter)?.isComplete) return;
    const after = selectWindow(state, filter)?.end ?? null;
    missing.add(key);
    try {
      await land(filter, after, begin(filter, after, pageSize));
    } finally {
      missing.delete(key);
    }
  };

  const guard = async (read: () => Promise<unknown>) => {
    try {
      await read();
      if (store.getSnapshot().problem?.type === 'read') store.patch({ problem: null });
    } catch (error) {
      if (isClosed) return;
      store.patch({ problem: { type: 'read', error } });
      report(error);
    }
  };

  const readLists = async () => {
    store.patch({ isReading: true });
    discardAhead();
    await guard(async () => {
      const { filter, windows } = store.getState();
      const key = filterKey(filter);
      const isOwnNeeded =
        key !== filterKey(everything) &&
        (windows[key] !== undefined || !selectWindow(store.getState(), filter)?.isComplete);
      await Promise.all([readHead(everything), isOwnNeeded && readHead(filter)]);
      store.patch({ isVerified: true });
      // The reader may have turned to another list meanwhile.
      await readMissing();
    });
    store.patch({ isReading: false });
    totals.check(false);
  };

  const readWhileWanted = async (): Promise<void> => {
    if (!isRefreshWanted || isClosed) return;
    isRefreshWanted = false;
    await readLists();
    return readWhileWanted();
  };

  const totals = createTotalsReader({ api, store, clock, report });

  const reader: InboxReader = {
    refresh() {
      isRefreshWanted = true;
      refreshing ??= readWhileWanted().finally(() => {
        refreshing = null;
      });
      return refreshing;
    },
    async ensure() {
      store.patch({ isReading: true });
      await guard(readMissing);
      store.patch({ isReading: false });
    },
    async loadMore() {
      const state = store.getState();
      const window = selectWindow(state, state.filter);
      if (!window || window.isComplete || store.getSnapshot().isReadingMore) return;
      store.patch({ isReadingMore: true });
      const { filter } = state;
      const prefetched = ahead?.key === flightKey(filter, window.end) ? ahead : null;
      if (prefetched) ahead = null;
      else discardAhead();
      await guard(() => land(filter, window.end, prefetched ?? begin(filter, window.end, pageSize)));
      store.patch({ isReadingMore: false });
      totals.check(false);
    },
    prefetchMore() {
      const state = store.getState();
      const window = selectWindow(state, state.filter);
      if (!window || window.isComplete || ahead?.key === flightKey(state.filter, window.end)) return;
      discardAhead();
      const flight = begin(state.filter, window.end, pageSize);
      ahead = flight;
      // Whoever asks for the page itself reads it anew, and is told then.
      flight.page.catch((error) => {
        if (ahead !== flight) return;
        discardAhead();
        report(error);
      });
    },
    checkTotals: totals.check,
    close() {
      isClosed = true;
      totals.close();
    },
  };
  return reader;
}

function createTotalsReader({ api, store, clock, report }: InboxReaderOptions) {
  let timer: Timer | null = null;
  let isReading = false;
  let readAtMs = -Infinity;
  let failedAtMs = -Infinity;
  let isDoubted = false;
  let isClosed = false;
  let problem: InboxProblem | null = null;

  const read = async () => {
    timer = null;
    isReading = true;
    isDoubted = false;
    const state = store.getState();
    const since = state.sequence;
    const whole = selectWindow(state, everything);
    // After a gap the rows that are here may not be those that are there: until they are read again the server counts.
    const isWhole = whole !== null && whole.isComplete && whole.readAt >= state.gapAt;
    try {
      const counted = isWhole
        ? { ...countNotifications(state.rows.values()), archived: await api.countArchived() }
        : await api.countAll();
      readAtMs = clock.monotonicMs();
      store.dispatch({ type: 'totals', totals: counted, since });
      if (problem && store.getSnapshot().problem === problem) store.patch({ problem: null });
      problem = null;
    } catch (error) {
      if (isClosed) return;
      failedAtMs = clock.monotonicMs();
      problem = { type: 'read', error };
      // What was taken back, with its way to try again, is not hidden by it.
      if (store.getSnapshot().problem?.type !== 'action') store.patch({ problem });
      report(error);
    }
    isReading = false;
    check(false);
  };
  const check = (changed: boolean) => {
    const nowMs = clock.monotonicMs();
    if (isClosed) return;
    // A change that was counted already may arrive after the count, and would count twice.
    if (changed && nowMs - readAtMs < changeLagMs) isDoubted = true;
    if (timer || isReading || !(store.getState().areTotalsStale || isDoubted)) return;
    const pauseMs = Math.max(totalsDelayMs, failedAtMs + totalsPauseMs - nowMs, isDoubted ? changeLagMs : 0);
    timer = clock.setTimer(() => void read(), pauseMs);
  };
  return {
    check,
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}

function flightKey(filter: NotificationFilter, after: Cursor | null): string {
  return `${filterKey(filter)}|${after?.id ?? ''}`;
}
